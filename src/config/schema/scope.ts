import * as Type from 'typebox';
import { record, text } from '../words/schema.ts';

const scopeAlternatives = Type.Array(text(), { minItems: 1 });
export const Scope = Type.Union(
  [
    text(undefined, 'The token must have all of these space-delimited scopes (RFC 6749 §3.3).'),
    record(
      { any_of: scopeAlternatives },
      undefined,
      'The token must have the scopes of at least one entry. Each entry is a space-delimited string.',
    ),
    record({ all_of: scopeAlternatives }, undefined, 'The token must have the scopes of every entry.'),
  ],
  {
    description:
      'A token must have this scope: text (space-delimited, all required), { any_of: [ … ] } or { all_of: [ … ] }.',
  },
);

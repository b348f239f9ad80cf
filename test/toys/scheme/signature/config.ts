import * as Type from 'typebox';
import { each, type FileFacts, type PlacedBlock, type SchemeRow } from '../../../../src/config/schemes/scheme.ts';
import type { Finding } from '../../../../src/config/words/problem.ts';
import { named, record, text } from '../../../../src/config/words/schema.ts';
import { readKeys } from './keys.ts';

const Signature = record(
  {
    keys: text(undefined, 'A file with a line KEY:SECRET for each key.'),
    header: Type.Optional(text(undefined, 'Default: X-Signature.')),
    parameter: Type.Optional(text(undefined, 'A query parameter where the signature may stand too.')),
    scopes: named(text(), {}, 'Key → its scope.'),
  },
  undefined,
  'A signature over method and path.',
);

export type SignatureConfig = Type.Static<typeof Signature>;

/** A toy: KEY:HEX in a header or a query parameter, where HEX is an HMAC over method and path. */
export const signature = {
  name: 'signature',
  schema: Signature,
  example: 'signature: { keys: FILE }',
  checks: [{ rule: 'keys of signatures', findings: each(keyFaults) }],
  people: ({ keys, scopes }) => [keys, scopes],
  places: placesOf,
} as const satisfies SchemeRow<SignatureConfig>;

export function placesOf({ header = 'X-Signature', parameter }: SignatureConfig) {
  const inQuery = parameter === undefined ? [] : [{ in: 'query' as const, name: parameter }];
  return [{ in: 'header' as const, name: header.toLowerCase() }, ...inQuery];
}

function keyFaults({ at, value }: PlacedBlock<SignatureConfig>, { around }: FileFacts): readonly Finding[] {
  if (readKeys(value.keys, around) !== undefined) return [];
  return [{ pointer: [...at, 'keys'], severity: 'warning', message: 'the file of keys cannot be read' }];
}

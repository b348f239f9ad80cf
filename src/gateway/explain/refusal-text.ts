import type { Refuse, Unavailable } from '../decide/outcome.ts';
import { type Code, entry } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import { schemeNamed } from '../schemes/schemes-of.ts';

/** Replaces sentences about an access token by sentences about a user of Basic or Digest, which has none. */
const aboutUsers: Readonly<Partial<Record<Code, string>>> = {
  scope_insufficient: 'The user lacks a scope that this request needs.',
  condition_failed: 'A condition of this route does not hold for the user or the request.',
};

/** In one sentence why a request is not forwarded. */
export function refusalText(outcome: Refuse | Unavailable): string {
  const { code } = outcome;
  const ofUser = outcome.kind === 'refuse' && isUser(outcome.identity) ? aboutUsers[code] : undefined;
  return ofUser ?? entry(code).text;
}

/** Whether it was verified by a user name, and not by a token. */
export function isUser(identity: Identity | undefined): boolean {
  return identity !== undefined && schemeNamed(identity.scheme) !== undefined;
}

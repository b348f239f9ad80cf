import type { Refuse, Unavailable } from '../decide/outcome.ts';
import { type Code, entry } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import { schemeNamed } from '../schemes/schemes-of.ts';

/** Replaces sentences about an access token with sentences about a user of Basic or Digest. */
const aboutUsers: Readonly<Partial<Record<Code, string>>> = {
  scope_insufficient: 'The user lacks a scope that this request needs.',
  condition_failed: 'The user or the request does not meet a condition of this route.',
};

/** Why a request is not forwarded, in one sentence. */
export function refusalText(outcome: Refuse | Unavailable): string {
  const { code } = outcome;
  const ofUser = outcome.kind === 'refuse' && isUser(outcome.identity) ? aboutUsers[code] : undefined;
  return ofUser ?? entry(code).text;
}

/** Whether a username and not a token was verified. */
export function isUser(identity: Identity | undefined): boolean {
  return identity !== undefined && schemeNamed(identity.scheme) !== undefined;
}

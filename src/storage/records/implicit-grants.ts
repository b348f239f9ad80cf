import type { Verb } from '../engine/verb.ts';
import type { NewCode, Saved } from './codes.ts';
import { saveConsent } from './grants.ts';
import { useOnce } from './one-time.ts';
import { type Premises, stillHold } from './preconditions.ts';
import { type Minted, saveMinted } from './refresh-tokens.ts';
import { isStillTheirs } from './user-keys.ts';

export interface ImplicitGrant extends Omit<NewCode, 'code'>, Omit<Minted, 'refresh'> {}

/** Does the same as `saveCode` for a redirect that contains the token (RFC 6749 §4.2). `rekeyed`: see `redeemCode`. */
export function* saveImplicit(
  { grant, access, signedBy, consent, transaction }: ImplicitGrant,
  premises: Premises = {},
): Verb<Saved | 'rekeyed'> {
  if (!(yield* stillHold(premises, grant.createdAt))) return 'outdated';
  if (signedBy !== undefined && !(yield* isStillTheirs(signedBy))) return 'rekeyed';
  if (transaction !== undefined && !(yield* useOnce(transaction))) return 'used';
  if (consent !== undefined) yield* saveConsent(consent);
  yield* saveMinted({ grant, access, refresh: undefined });
  return 'saved';
}

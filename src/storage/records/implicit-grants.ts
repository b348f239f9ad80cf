import type { Verb } from '../verb.ts';
import type { NewCode, Saved } from './codes.ts';
import { saveConsent } from './grants.ts';
import { useOnce } from './one-time.ts';
import { type Premises, stillHold } from './premises.ts';
import { type Minted, saveMinted } from './refresh-tokens.ts';

export interface ImplicitGrant extends Omit<NewCode, 'code'>, Omit<Minted, 'refresh'> {}

/** As `saveCode`, where the redirect itself brings the token (RFC 6749 §4.2). */
export function* saveImplicit(
  { grant, access, consent, transaction }: ImplicitGrant,
  premises: Premises = {},
): Verb<Saved> {
  if (!(yield* stillHold(premises, grant.createdAt))) return 'outdated';
  if (transaction !== undefined && !(yield* useOnce(transaction))) return 'used';
  if (consent !== undefined) yield* saveConsent(consent);
  yield* saveMinted({ grant, access, refresh: undefined });
  return 'saved';
}

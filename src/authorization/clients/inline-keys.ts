import { importKeys } from '../../jwt/keys.ts';
import { assertionAlgorithms } from './assertion-algorithms.ts';

/** Why the key set in the metadata of a client cannot be used. Undefined: it is usable, or there is no key set. */
export async function inlineKeysFault(jwks: unknown): Promise<string | undefined> {
  if (jwks === undefined) return undefined;
  const imported = await importKeys(jwks, assertionAlgorithms);
  if (imported === undefined) return 'jwks is not a key set';
  if (imported.refused.some(({ reason }) => reason.startsWith('secret material'))) return 'jwks has a secret key';
  return imported.keys.length === 0 ? 'jwks has no usable public key' : undefined;
}

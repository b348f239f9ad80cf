import { hmacSha256 } from '../../base/hmac.ts';
import type { UserConfig } from '../../config/schema/authorization.ts';
import type { Secrets } from '../clients/secrets.ts';

/** A keyed digest, so that a stolen store does not help to guess a plain password. */
export function passwordDigest({ filePasswords }: Secrets, { password_argon2, password = '' }: UserConfig): Uint8Array {
  const [kind, text] = password_argon2 === undefined ? ['plain', password] : ['argon2', password_argon2];
  return hmacSha256(filePasswords, `${kind}\n`, text);
}

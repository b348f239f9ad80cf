import { remembering } from '../../base/remembered.ts';
import { closest } from './closest.ts';

const secretNames = [
  'client_secret',
  'app_secret',
  'client_secret_sha256',
  'secret',
  'secret_base64url',
  'encryption_keys',
  'hmac_key',
  'password',
];

/**
 * True if a value below this key must not be shown. A misspelt `client_secrt` is a secret too. A file has few different keys,
 * so each is compared once.
 */
export const isSecretName: (key: string) => boolean = remembering(
  (key) =>
    /secr|passw|pwd|^credentials$|^authorization$|^client_key$|_keys$/i.test(key) ||
    closest(key, secretNames) !== undefined,
);

/** True if a header or a parameter with this name may carry a credential, such as `X-Hook-Token`. */
export function holdsCredential(name: string): boolean {
  return /auth|cookie|token|key|secret|passw|signature|session|assertion|jwt|dpop/i.test(name);
}

import { sha256 } from '../base/secret.ts';

/**
 * Keys of single users, as the authorization service publishes them and a gateway reads them. The metadata has their
 * URL as an RFC 6570 template, `user_key_uri_template`. It returns a JWK Set (RFC 7517 §5) of one key:
 *
 * `{ "keys": [{ "kty": …, "kid": …, "alg": …, "use": "sig", "sub_hash": … }] }`
 *
 * A token is valid only if its `alg` equals the key's, and the hash of its `iss` and `sub` equals the key's `sub_hash`.
 */
export interface UserKeyMembers {
  readonly kid: string;
  readonly alg: string;
  readonly use: 'sig';
  readonly sub_hash: string;
}

/**
 * A `kid` in the form of users' keys: 16 bytes in base64url. The ids of issuers' keys are thumbprints (RFC 7638), which are
 * longer.
 */
export function isUserKid(kid: string | undefined): kid is string {
  return kid !== undefined && /^[A-Za-z0-9_-]{22}$/.test(kid);
}

/** base64url SHA-256 of `iss`, a line feed and `sub`, in UTF-8. So a key that anyone may read does not name its user. */
export function subjectHash(issuer: string, subject: string): string {
  return sha256(`${issuer}\n${subject}`).toString('base64url');
}

export const USER_KEY_PATH = '/oauth2/keys';

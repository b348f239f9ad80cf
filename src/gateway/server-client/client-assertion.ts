import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { type ClientKey, readClientKey } from '../../config/files/client-key.ts';
import type { FileContext } from '../../config/files/referred-file.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { type FailedFetch, failed } from './fetch-json.ts';

/**
 * Makes a JWT that authenticates the gateway (RFC 7523 §3). Each call needs a new one, because a server accepts each
 * only once.
 */
export type AssertClient = () => Promise<string | FailedFetch>;

/** Seconds. The assertion is used at once. The rest allows for clocks that differ. */
const LIFETIME = 60;

export function clientAssertion(
  { issuer, client_id = '', client_key = '' }: Pick<AuthorizationServerConfig, 'issuer' | 'client_id' | 'client_key'>,
  { clock, directory }: { readonly clock: Clock } & FileContext,
): AssertClient {
  const current = followKey(client_key, { directory });
  return async () => {
    const held = current();
    if (held === undefined) return failed('the file of client_key cannot be read');
    const { key, alg } = held;
    // Most servers use RFC 7638 to name a key without a name.
    const kid = held.kid ?? (await calculateJwkThumbprint(createPublicKey(key)));
    const iat = Math.floor(clock.now() / 1000);
    const claims = { iss: client_id, sub: client_id, aud: issuer, jti: crypto.randomUUID(), iat, exp: iat + LIFETIME };
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
  };
}

/**
 * Reads the file for each assertion, so that a new key applies at once. While the file is incomplete, the previous key
 * stays.
 */
function followKey(path: string, place: FileContext): () => ClientKey | undefined {
  let last: ClientKey | undefined;
  return () => {
    const read = readClientKey(path, place);
    if (read.ok) last = read.key;
    return last;
  };
}

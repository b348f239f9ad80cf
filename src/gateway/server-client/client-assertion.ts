import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { type ClientKey, readClientKey } from '../../config/files/client-key.ts';
import type { FileContext } from '../../config/files/referred-file.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { type FailedFetch, failed } from './fetch-json.ts';

/** A JWT that says who the gateway is (RFC 7523 §3): another one for each call, because none may be used twice. */
export type AssertClient = () => Promise<string | FailedFetch>;

/** Seconds. It is used at once, so what is left is for clocks that differ. */
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
    // RFC 7638, as most servers name a key that they are given without a name.
    const kid = held.kid ?? (await calculateJwkThumbprint(createPublicKey(key)));
    const iat = Math.floor(clock.now() / 1000);
    const claims = { iss: client_id, sub: client_id, aud: issuer, jti: crypto.randomUUID(), iat, exp: iat + LIFETIME };
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
  };
}

/** Read for each assertion, so that a new key serves at once; a file that is just being written leaves the one before. */
function followKey(path: string, place: FileContext): () => ClientKey | undefined {
  let last: ClientKey | undefined;
  return () => {
    const read = readClientKey(path, place);
    if (read.ok) last = read.key;
    return last;
  };
}

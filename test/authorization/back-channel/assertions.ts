import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type Changes, configuration } from '../running-service.ts';

export const ISSUER = 'http://localhost:8081';
export const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface Signer {
  readonly jwk: JWK;
  readonly jwks: { readonly keys: readonly JWK[] };
  sign(claims: object, header?: object): Promise<string>;
}

/** A client with a key pair. */
export async function signer(alg = 'ES256', kid = 'a'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid };
  return {
    jwk,
    jwks: { keys: [jwk] },
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The claims of a valid assertion. */
export function claims(id: string, changes: object = {}): object {
  return { iss: id, sub: id, aud: ISSUER, exp: nowSeconds() + 300, iat: nowSeconds(), jti: randomUUID(), ...changes };
}

/** The parameters of an assertion. */
export function asserted(client_assertion: string, more: object = {}): Record<string, string> {
  return { client_assertion_type: TYPE, client_assertion, ...more };
}

/** The clients of every test, and `signer` with these keys. */
export const keyed = (jwks: unknown, changes: object = {}): Changes => ({
  clients: [
    ...configuration().clients,
    {
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
      scope: 'orders.read',
      grant_types: ['client_credentials'],
      introspect: true,
      ...changes,
    },
  ],
});

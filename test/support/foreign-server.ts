import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { Test } from 'tap';
import { serving } from './serving.ts';

export const secrets = { shop: 'shop-secret-of-32-bytes-or-so-ok', gateway: 'gateway-secret-of-32-bytes-or-so' };

/** Resource indicators (RFC 8707): tokens for the first are JWTs, tokens for the second are opaque. */
export const resources = { jwt: 'https://api.example.com', opaque: 'https://soap.example.com' };

/** A certified authorization server by another vendor. */
export interface ForeignServer {
  readonly issuer: string;
  /** The private key of the client `keyed-gateway`, as a JWK in text. */
  readonly clientKey: string;
  /** An access token for `shop`. */
  issue(resource: string, scope: string): Promise<string>;
  revoke(token: string): Promise<void>;
}

export async function foreignServer(t: Test): Promise<ForeignServer> {
  let serve: RequestListener = (_request, response) => response.destroy();
  const server = createServer((request, response) => serve(request, response));
  const issuer = await serving(t, server);
  const [signing, client] = [await keyPair('signing'), await keyPair('client')];
  serve = new Provider(issuer, configuration(signing.privateJwk, client.publicJwk)).callback();
  const ask = (path: string, form: Record<string, string>) => askAsShop(`${issuer}${path}`, form);
  return {
    issuer,
    clientKey: JSON.stringify(client.privateJwk),
    async issue(resource, scope) {
      const answer = await ask('/token', { grant_type: 'client_credentials', resource, scope });
      return (JSON.parse(answer) as { access_token: string }).access_token;
    },
    revoke: async (token) => void (await ask('/token/revocation', { token })),
  };
}

async function askAsShop(url: string, form: Record<string, string>): Promise<string> {
  const pair = Buffer.from(`shop:${secrets.shop}`).toString('base64');
  const headers = { authorization: `Basic ${pair}` };
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text;
}

async function keyPair(kid: string) {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const names = { kid, alg: 'ES256', use: 'sig' };
  return {
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...names },
    publicJwk: { ...(await exportJWK(pair.publicKey)), ...names },
  };
}

function configuration(signingKey: object, clientKey: object): object {
  const alg = { id_token_signed_response_alg: 'ES256' };
  const none = { grant_types: [], redirect_uris: [], response_types: [] };
  return {
    jwks: { keys: [signingKey] },
    cookies: { keys: ['cookies-of-the-tests'] },
    scopes: ['orders.read', 'orders.write'],
    clients: [
      { ...alg, ...none, client_id: 'shop', client_secret: secrets.shop, grant_types: ['client_credentials'] },
      { ...alg, ...none, client_id: 'gateway', client_secret: secrets.gateway },
      {
        ...alg,
        ...none,
        client_id: 'keyed-gateway',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [clientKey] },
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: { enabled: true, getResourceServerInfo },
    },
    ttl: { ClientCredentials: 300 },
  };
}

function getResourceServerInfo(_context: unknown, resource: string): object {
  const format = resource === resources.jwt ? 'jwt' : 'opaque';
  const scope = 'orders.read orders.write';
  return { scope, audience: resource, accessTokenFormat: format, jwt: { sign: { alg: 'ES256' } } };
}

import { SignJWT } from 'jose';
import type { Test } from 'tap';
import type { AlgorithmName } from '../../src/jwt/algorithms.ts';
import { type Endpoint, endpoint, json } from './endpoint.ts';
import { secret, signingKey } from './keys.ts';

export const issuer = 'https://auth.example.com';
export const audience = 'https://api.example.com';

export interface JwtOptions {
  readonly alg?: AlgorithmName;
  readonly header?: Record<string, unknown>;
}

/** A JWT access token (RFC 9068), valid for five minutes by default. */
export async function jwt(
  claims: Record<string, unknown> = {},
  { alg = 'ES256', header = {} }: JwtOptions = {},
): Promise<string> {
  const { kid, key } = await signingKey(alg);
  const now = Math.floor(Date.now() / 1000);
  const standard = {
    iss: issuer,
    aud: audience,
    sub: 'alice',
    client_id: 'shop',
    iat: now,
    exp: now + 300,
    jti: crypto.randomUUID(),
  };
  return new SignJWT({ ...standard, ...claims }).setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header }).sign(key);
}

export interface AuthorizationServer {
  /** The block of the configuration file, under the name `main`. */
  readonly config: { readonly main: object };
  readonly keys: Endpoint;
  readonly introspection: Endpoint;
  /** What introspection says about a token. Other tokens are not active. */
  readonly tokens: Map<string, Record<string, unknown>>;
}

export interface ServerOptions {
  /** The contents of its key set. */
  readonly algorithms?: readonly AlgorithmName[];
  /** Overrides members of the configuration block. */
  readonly changes?: object;
}

/** A key set and an introspection endpoint on loopback, and the configuration that uses them. */
export async function authorizationServer(
  t: Test,
  { algorithms = ['ES256'], changes = {} }: ServerOptions = {},
): Promise<AuthorizationServer> {
  const set = { keys: await Promise.all(algorithms.map(async (alg) => (await signingKey(alg)).jwk)) };
  const tokens = new Map<string, Record<string, unknown>>();
  const keys = await endpoint(t, (_request, response) => json(response, set));
  const introspection = await endpoint(t, (_request, response, body) => {
    json(response, tokens.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false });
  });
  const main = {
    issuer,
    jwks_uri: `${keys.url}/jwks`,
    introspection_endpoint: `${introspection.url}/introspect`,
    client_id: 'gateway',
    client_secret: 'gateway-secret-of-32-bytes-or-so',
    audience,
    algorithms: [...algorithms],
    // Nothing answers at the issuer, so the gateway could never learn that this server has no feed.
    events: 'none',
    ...changes,
  };
  return { config: { main }, keys, introspection, tokens };
}

/**
 * The first letters of a JWT, whose header begins with `alg`, `kid` or `typ`. Shorter text, such as `eyJ`, is sometimes part
 * of a random identifier.
 */
export const JWT_BEGINS = /eyJ(?:hbGci|raWQi|0eXAi)/;

/** An active answer of introspection (RFC 7662 §2.2). */
export function active(scope: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    active: true,
    scope,
    client_id: 'shop',
    sub: 'alice',
    aud: audience,
    token_type: 'Bearer',
    iat: now,
    exp: now + 300,
    ...more,
  };
}

/** A server whose tokens need no network: one shared secret. */
export const hmacServer = { main: { issuer, secret, audience, algorithms: ['HS256'] } };

import type { ServerResponse } from 'node:http';
import type { JWK } from 'jose';
import type { Test } from 'tap';
import type { Clock } from '../../src/base/clock.ts';
import type { AuthorizationServerConfig } from '../../src/config/schema/gateway.ts';
import type { Verification } from '../../src/gateway/message/identity.ts';
import { type BearerVerifiers, buildVerifiers } from '../../src/gateway/verify/verifiers.ts';
import { type SignOptions, sign as signToken } from '../jwt/tokens.ts';
import { type Endpoint, endpoint, type Handler, json } from '../support/endpoint.ts';
import { signingKey } from '../support/keys.ts';

/** An authorization server with every endpoint that the gateway uses. */
export interface Issuer {
  readonly url: string;
  readonly endpoint: Endpoint;
  /** What it publishes; tests change it. */
  keys: unknown;
  metadata: Record<string, unknown>;
  /** Its answer about a token. */
  answer: (token: string, response: ServerResponse) => void;
  calls(path: '/jwks' | '/introspect' | 'well-known'): number;
  /** Signs an access token of this server that is valid for an hour. */
  sign(claims?: object, options?: SignOptions): Promise<string>;
}

export async function openIssuer(t: Test, clock: Clock): Promise<Issuer> {
  const paths: string[] = [];
  const handlers: Record<string, Handler> = {
    '/jwks': (_request, response) => json(response, issuer.keys),
    '/introspect': (_request, response, body) => issuer.answer(new URLSearchParams(body).get('token') ?? '', response),
    '/.well-known/oauth-authorization-server': (_request, response) => json(response, issuer.metadata),
  };
  const server = await endpoint(t, (request, response, body) => {
    const path = request.url ?? '';
    paths.push(path);
    const handler = handlers[path];
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response, body);
  });
  const { url } = server;
  const { jwk } = await signingKey('ES256');
  const seconds = () => Math.floor(clock.now() / 1000);
  const issuer: Issuer = {
    url,
    endpoint: server,
    keys: { keys: [jwk] },
    metadata: { issuer: url, jwks_uri: `${url}/jwks`, introspection_endpoint: `${url}/introspect` },
    answer: (_token, response) =>
      json(response, { active: true, scope: 'orders.read', sub: 'alice', client_id: 'shop' }),
    calls: (path) => paths.filter((each) => each.includes(path)).length,
    sign: (claims = {}, options) =>
      signToken(
        {
          iss: url,
          sub: 'alice',
          client_id: 'shop',
          scope: 'orders.read',
          aud: 'https://api.example.com',
          iat: seconds(),
          exp: seconds() + 3600,
          ...claims,
        },
        options,
      ),
  };
  return issuer;
}

export { type HeldClock, heldClock, settings } from './server-settings.ts';

export interface LogLine {
  readonly level: string;
  readonly text: string;
}

/** Verifiers that are closed after the test, with everything that they logged. */
export function openVerifiers(
  t: Test,
  servers: Record<string, AuthorizationServerConfig>,
  { clock, directory = '.', development = false }: { clock: Clock; directory?: string; development?: boolean },
): BearerVerifiers & { readonly log: readonly LogLine[] } {
  const log: LogLine[] = [];
  const write = (level: string) => (fields: unknown, message?: string) =>
    void log.push({ level, text: JSON.stringify([fields, message]) });
  const logger = { info: write('info'), warn: write('warn'), error: write('error') };
  const verifiers = buildVerifiers(
    { authorization_servers: servers, development },
    { clock, log: logger as never, directory },
  );
  t.teardown(() => verifiers.close());
  return { ...verifiers, log };
}

/** The result of a verification: the code of a refusal, `outage`, or the cache state of an accepted token. */
export function inAWord(verification: Verification): string {
  if (verification.kind === 'refused') return verification.code;
  return verification.kind === 'outage' ? 'outage' : verification.cache;
}

/** A set of this process's keys, by algorithm. */
export async function publish(...algs: Parameters<typeof signingKey>[0][]): Promise<{ keys: (JWK | undefined)[] }> {
  return { keys: await Promise.all(algs.map(async (alg) => (await signingKey(alg)).jwk)) };
}

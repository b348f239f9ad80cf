import fastify from 'fastify';
import t from 'tap';
import { systemClock } from '../../../../src/base/clock.ts';
import { SessionGate } from '../../../../src/gateway/console/access/session-gate.ts';

type Parts = ConstructorParameters<typeof SessionGate>;

const tokens = { kind: 'json', value: { access_token: 't', token_type: 'Bearer' } };
const identity = {
  server: 'as',
  subject: 'alice',
  clientId: 'console',
  scopes: new Set(['console']),
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
  claims: {},
  marks: { sid: 'S1', hash: 'h', subject: 'alice' },
};

/** An authorization server of a loaded file. `fetch`: what its token endpoint answers. */
const serverOf = (fetch: () => Promise<object>) => ({
  ...{ name: 'as', fetch, isInDoubt: () => false, forget() {}, start: async () => {} },
  watch: () => () => {},
});

/** A login whose code is redeemed by `first`, while `current()` is the server of the active file. */
async function login(first: object, current: () => object): Promise<number> {
  const log = { info() {}, warn() {} };
  const verifiers = { server: current, verifier: () => async () => ({ kind: 'verified', identity }) };
  const config = { authorization_servers: { as: { max_staleness: 1000, audience: 'any' } }, development: true };
  const generation = { shared: { clock: systemClock, log }, term: { onEnd() {} }, config, verifiers };
  const access = { authorization_server: 'as', scope: 'console', client_id: 'c', users: undefined };
  const admin = { access, console: true, host: '127.0.0.1', port: 1, url: undefined, tls: undefined };
  const endpoints = { authorizationEndpoint: 'https://as.example/a', tokenEndpoint: 'https://as.example/t' };
  const block = {
    audience: 'any',
    issuer: 'https://as.example',
    introspection_endpoint_auth_method: 'client_secret_basic',
  };
  const servers = {
    get current() {
      return current();
    },
    find: async () => ({
      server: first,
      block,
      issuer: block.issuer,
      clientId: 'c',
      sendsIssuer: false,
      document: {},
      ...endpoints,
    }),
  };
  const gate = new SessionGate(
    { admin, live: { current: generation }, directory: '/' } as unknown as Parts[0],
    servers as unknown as Parts[1],
  );
  const app = fastify();
  gate.addRoutes(app, undefined as never);
  const headers = { host: '127.0.0.1:1' };
  const begun = await app.inject({ url: '/console/login', headers });
  const state = new URL(String(begun.headers.location)).searchParams.get('state');
  const cookie = begun.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { statusCode } = await app.inject({
    url: `/console/callback?state=${state}&code=1`,
    headers: { ...headers, cookie },
  });
  return statusCode;
}

t.test('a login opens no session at a server that a reload replaced while the code was redeemed', async (t) => {
  const next = serverOf(async () => tokens);
  let current = serverOf(async () => tokens);
  const first = current;
  t.equal(await login(first, () => current), 200, 'without a reload, it opens one');
  const replaced = serverOf(async () => {
    current = next;
    return tokens;
  });
  current = replaced;
  t.equal(await login(replaced, () => current), 400);
});

import type { Test } from 'tap';
import { buildPasswords } from '../../../src/base/passwords.ts';
import { endpoint, json } from '../../support/endpoint.ts';
import type { Random } from '../../support/random.ts';
import type { SettableClock } from '../../support/settable-clock.ts';
import { active, audience, hmacServer, jwt } from '../../support/tokens.ts';
import { digestLines, userFile } from '../../support/user-files.ts';

/** The subject of one round: random routes, valid and invalid tokens, and users. */
export interface Scene {
  /** The configuration without the upstreams. */
  readonly config: object;
  readonly routes: readonly RouteShape[];
  readonly tokens: readonly string[];
  /** Ends opaque tokens that were valid. */
  revokeSome(): void;
}

export interface RouteShape {
  /** A path that its pattern matches. */
  readonly path: (dice: Random) => string;
  readonly auth: 'bearer' | 'basic' | 'digest';
  readonly match: Match;
  readonly route: object;
}

export interface Match {
  readonly host?: string;
  readonly methods?: readonly string[];
  readonly headers?: object;
  readonly query?: object;
}

export const user = { name: 'alice', password: 'wonderland', realm: 'r' } as const;
export const scopes = ['read', 'write', 'admin'] as const;

const nonceKey = Buffer.alloc(32, 7).toString('base64');

export async function scene(t: Test, dice: Random, clock: SettableClock): Promise<Scene> {
  const opaque = new Map<string, Record<string, unknown>>();
  const introspection = await endpoint(t, (_request, response, body) =>
    json(response, opaque.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false }),
  );
  const users = { digest: userFile(t, digestLines(user.name, user.realm, user.password)), basic: await basicFile(t) };
  const routes = Array.from({ length: 14 }, (_, index) => routeShape(dice, index, users));
  const tokens = await Promise.all(Array.from({ length: 40 }, (_, index) => token(dice, clock, opaque, index)));
  const main = {
    ...hmacServer.main,
    introspection_endpoint: `${introspection.url}/introspect`,
    client_id: 'gateway',
    events: 'none',
    client_secret: 'gateway-secret-of-32-bytes-or-so',
  };
  const config = {
    authorization_servers: { main },
    defaults: { upstream: 'plain' },
    nonce_keys: [nonceKey],
    // Otherwise the order of requests would decide which guess exceeds the limit.
    login: { max_failures: 1_000_000 },
    routes: [noncePlace(users), ...routes.map(({ route }) => route)],
  };
  const revokeSome = () => {
    for (const name of opaque.keys()) if (dice.chance(0.3)) opaque.delete(name);
  };
  return { config, routes, tokens, revokeSome };
}

/** A route that issues nonces, which are valid on every route of its realm. */
function noncePlace({ digest }: Users): object {
  const scheme = { auth: 'digest', digest: { realm: user.realm, users: digest } };
  return { id: 'nonces', match: { path: '/nonces' }, access: 'authenticated', ...scheme };
}

let basicLine: Promise<string> | undefined;

async function basicFile(t: Test): Promise<string> {
  basicLine ??= buildPasswords({ cost: { memory: 64, passes: 1, lanes: 1 } })
    .hash(user.password)
    .then((hashed) => (hashed.kind === 'hashed' ? `${user.name}:${hashed.phc}\n` : ''));
  return userFile(t, await basicLine);
}

/** Upstreams with different settings; all are the same server. */
export function upstreams(url: string, engine: 'undici' | 'own'): object {
  // Gateways of other rounds start in this process at the same time, and the time to open a connection is not compared.
  const api = { url, engine, timeout: { connect: '60s' } };
  return {
    plain: api,
    named: { ...api, host: 'legacy.internal:8080' },
    known: { ...api, host: 'upstream', credentials: { basic: { username: 'gate', password: 'house' } } },
    keyed: { ...api, credentials: { header: { name: 'X-Api-Key', value: 'k-1' } }, retries: 0 },
    caseless: { ...api, case_sensitive: false },
  };
}

interface Users {
  readonly digest: string;
  readonly basic: string;
}

function routeShape(dice: Random, index: number, users: Users): RouteShape {
  const pattern = dice.pick(patterns)(index);
  const auth = dice.pick(['bearer', 'bearer', 'bearer', 'bearer', 'bearer', 'basic', 'digest'] as const);
  const match = matching(dice);
  const wanted = access(dice, auth);
  const isPublic = 'access' in wanted && wanted.access === 'public';
  const scheme = {
    bearer: dice.chance(0.5) && !isPublic ? { bearer_methods_supported: dice.pick(methods) } : {},
    basic: { auth, basic: { users: users.basic, allow_insecure: true, scopes: { [user.name]: 'read' } } },
    digest: { auth, digest: { realm: user.realm, users: users.digest, scopes: { [user.name]: 'read write' } } },
  }[auth];
  const route = {
    id: `route-${index}`,
    match: { path: pattern.pattern, ...match },
    upstream: dice.pick(['plain', 'plain', 'named', 'known', 'keyed', 'caseless']),
    ...scheme,
    ...wanted,
    ...rewriting(dice, index),
    ...rest(dice),
  };
  return { path: pattern.path, auth, match, route };
}

const methods = [['header'], ['header', 'body'], ['header', 'query'], ['header', 'body', 'query'], ['body']];

interface Pattern {
  readonly pattern: string;
  readonly path: (dice: Random) => string;
}

const segment = (dice: Random) => dice.text('abcXYZ019-_.~', 1 + dice.below(8)).replace(/^\.+$/, 'a');
const spelt = (dice: Random) => dice.pick([segment(dice), `%41${segment(dice)}`, `${segment(dice)}%20b`, 'caf%C3%A9']);

const patterns: readonly ((index: number) => Pattern)[] = [
  (index) => ({
    pattern: `/r${index}/{rest*}`,
    path: (dice) => `/r${index}/${Array.from({ length: dice.below(4) }, () => spelt(dice)).join('/')}`,
  }),
  (index) => ({ pattern: `/r${index}/{id}`, path: (dice) => `/r${index}/${spelt(dice)}` }),
  (index) => ({
    pattern: `/r${index}/{id}/Items/{rest*}`,
    path: (dice) => `/r${index}/${spelt(dice)}/${dice.pick(['Items', 'Items', 'items'])}/${spelt(dice)}`,
  }),
  (index) => ({ pattern: `/r${index}/fixed`, path: () => `/r${index}/fixed` }),
  (index) => ({ pattern: `/r${index}/a/{x}/b/{y}`, path: (dice) => `/r${index}/a/${spelt(dice)}/b/${spelt(dice)}` }),
];

function matching(dice: Random): Match {
  return {
    ...(dice.chance(0.3) && {
      host: dice.pick(['api.example.com', '{tenant}.example.com', '{tenant}.example.com', 'other.example.com']),
    }),
    ...(dice.chance(0.3) && {
      methods: dice.pick([['GET', 'HEAD'], ['GET'], ['POST', 'PUT', 'GET'], ['DELETE', 'GET']]),
    }),
    ...(dice.chance(0.1) && { headers: { 'X-Version': '2' } }),
    ...(dice.chance(0.1) && { query: { v: '2' } }),
  };
}

function access(dice: Random, auth: RouteShape['auth']): object {
  const open = [{ access: 'public' }, { access: 'public' }, { access: 'optional' }];
  const scoped = [
    { access: 'authenticated' },
    { scope: 'read' },
    { scope: 'read write' },
    { scope: { any_of: ['admin', 'read write'] } },
    { scope: { all_of: ['read', 'admin'] } },
  ];
  const judged = [
    { scope: 'read', claims: { tier: { one_of: ['gold', 'silver'] } } },
    { access: 'authenticated', claims: { tier: { equals: 'gold' } } },
    { access: 'authenticated', when: 'request.method != "DELETE"' },
    { scope: 'read', audience: 'https://other.example.com' },
  ];
  return dice.pick(auth === 'bearer' ? [...open, ...scoped, ...judged] : scoped);
}

function rewriting(dice: Random, index: number): object {
  const ways = [
    { strip_prefix: `/r${index}` },
    { add_prefix: '/base/v1' },
    { strip_prefix: `/r${index}`, add_prefix: '/x' },
  ];
  return dice.chance(0.3) ? { rewrite: dice.pick(ways) } : {};
}

function rest(dice: Random): object {
  const identity = { prefix: 'X-Id-', set: { 'X-Id-Sub': 'sub', 'X-Id-Tier': 'tier', Remote_User: 'sub' } };
  return {
    ...(dice.chance(0.2) && { identity_headers: identity }),
    ...(dice.chance(0.1) && { forward_credential: true }),
    ...(dice.chance(0.1) && { mode: 'shadow' }),
    ...(dice.chance(0.1) && { limits: { body: '1KiB' } }),
    ...(dice.chance(0.1) && { encoded_slashes: 'keep' }),
  };
}

/** Milliseconds of `exp`, around the hour in which the clock moves. */
const LIFE = 600;

async function token(
  dice: Random,
  clock: SettableClock,
  opaque: Map<string, Record<string, unknown>>,
  index: number,
): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  const scope = scopes.filter(() => dice.chance(0.6)).join(' ');
  const subject = dice.pick(['alice', 'bob', 'Zo\u00eb', '']);
  const claims = { scope, sub: subject, tier: dice.pick(['gold', 'silver', 'lead']), iat: now - 60 };
  const good = { ...claims, exp: now + 1 + dice.below(LIFE), jti: `jti-${index}` };
  const signed = (more: Record<string, unknown>, header = {}) => jwt({ ...good, ...more }, { alg: 'HS256', header });
  const makers: readonly (() => string | Promise<string>)[] = [
    () => signed({ exp: now + 3600 }),
    ...Array.from(
      { length: 14 },
      () => () => signed({ exp: now + 3600, scope: scopes.join(' '), tier: 'gold', sub: 'alice' }),
    ),
    () => signed({ exp: now + 3600, scope: 'read write admin', tier: 'gold', sub: 'alice' }),
    () => signed({}),
    () => signed({}),
    () => signed({ exp: now - dice.below(LIFE) }),
    () => signed({ nbf: now + dice.below(LIFE) }),
    () => signed({ aud: dice.pick(['https://other.example.com', 'https://nobody.example.com']) }),
    () => signed({ aud: [audience, 'https://other.example.com'] }),
    () => signed({ iss: 'https://mallory.example.com' }),
    () => signed({ exp: now + 1e9 }),
    () => signed({}, { typ: 'JWT' }),
    async () => `${(await signed({})).slice(0, -8)}AAAAAAAA`,
    async () => (await signed({})).slice(0, 20 + dice.below(100)),
    () => dice.text('abc.=~+/-_', 1 + dice.below(60)),
    () => `unknown-${index}`,
    () => noted(opaque, index, active(scope, { ...good, aud: audience, iat: now })),
    () => noted(opaque, index, active('read write', { exp: now + 3600, iat: now, tier: 'gold' })),
    () => noted(opaque, index, active(scope, { exp: now - 1, iat: now - 60 })),
    () => noted(opaque, index, { active: false }),
  ];
  return dice.pick(makers)();
}

function noted(opaque: Map<string, Record<string, unknown>>, index: number, says: Record<string, unknown>): string {
  const name = `opaque-${index}`;
  opaque.set(name, says);
  return name;
}

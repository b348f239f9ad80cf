import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { type AuthorizationServer, active, audience, authorizationServer, jwt } from '../support/tokens.ts';
import { type Witness, witness } from '../support/witness.ts';

const routes = [
  { id: 'read', match: { path: '/read/{rest*}' }, scope: 'orders.read' },
  { id: 'write', match: { path: '/write/{rest*}' }, scope: 'orders.write' },
  { id: 'both', match: { path: '/both/{rest*}' }, scope: 'orders.read orders.write' },
  { id: 'any', match: { path: '/any/{rest*}' }, scope: { any_of: ['orders.write', 'orders.read admin'] } },
  { id: 'all', match: { path: '/all/{rest*}' }, scope: { all_of: ['orders.read', 'orders.write'] } },
  { id: 'authenticated', match: { path: '/authenticated/{rest*}' }, access: 'authenticated' },
  { id: 'audience', match: { path: '/soap/{rest*}' }, scope: 'orders.read', audience: 'https://soap.example.com' },
];

interface Bench {
  readonly server: AuthorizationServer;
  readonly upstream: Witness;
  get(target: string, token: string): Promise<RawResponse>;
}

async function bench(t: Test, changes: object = {}): Promise<Bench> {
  const upstream = await witness(t);
  const server = await authorizationServer(t, { changes });
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config, routes }));
  return { server, upstream, get: (target, token) => ask(port, requestText({ target, headers: [bearer(token)] })) };
}

/** The same facts as a JWT and as an opaque token, because no rule depends on the kind. */
const kinds: Readonly<
  Record<string, (server: AuthorizationServer, claims: Record<string, unknown>) => Promise<string>>
> = {
  'a JWT': (_server, claims) => jwt(claims),
  'an opaque token': async ({ tokens }, claims) => {
    const token = `opaque-${tokens.size}`;
    tokens.set(token, active('', { scope: undefined, ...claims }));
    return token;
  },
};

/** Scope claims, and which of the routes they open. */
const grants: readonly (readonly [claims: Record<string, unknown>, opens: readonly string[]])[] = [
  [{ scope: 'orders.read' }, ['/read', '/authenticated']],
  [{ scope: 'orders.write' }, ['/write', '/any', '/authenticated']],
  [{ scope: 'orders.read orders.write' }, ['/read', '/write', '/both', '/any', '/all', '/authenticated']],
  [{ scope: 'admin orders.read' }, ['/read', '/any', '/authenticated']],
  [{ scope: 'admin' }, ['/authenticated']],
  [{ scope: '' }, ['/authenticated']],
  [{}, ['/authenticated']],
  [{ scope: 'orders' }, ['/authenticated']],
  [{ scope: 'orders.readx xorders.read orders.read.x' }, ['/authenticated']],
  [{ scope: 'Orders.Read ORDERS.READ' }, ['/authenticated']],
  [{ scope: 'orders.read,orders.write' }, ['/authenticated']],
  [{ scope: 'orders*' }, ['/authenticated']],
  [{ scp: 'orders.read' }, ['/read', '/authenticated']],
  [{ scp: ['orders.read', 'orders.write'] }, ['/read', '/write', '/both', '/any', '/all', '/authenticated']],
  [{ scope: 'orders.read', scp: ['orders.write'] }, ['/read', '/write', '/both', '/any', '/all', '/authenticated']],
  [{ permissions: ['orders.read'] }, ['/authenticated']],
];

const paths = ['/read', '/write', '/both', '/any', '/all', '/authenticated'];

for (const [kind, make] of Object.entries(kinds)) {
  t.test(
    `scope of ${kind} is exact and case-sensitive, from all scope claims together, and is checked on every request`,
    async (t) => {
      const { server, upstream, get } = await bench(t);
      for (const [claims, opens] of grants) {
        const token = await make(server, claims);
        // Twice over all routes: the first use of the token is a cache miss, all others are hits.
        for (const path of [...paths, ...paths]) {
          const { status } = await get(`${path}/a`, token);
          t.equal(status, opens.includes(path) ? 200 : 403, `${JSON.stringify(claims)} at ${path}`);
        }
      }
      t.equal(
        upstream.seen.length,
        grants.reduce((sum, [, opens]) => sum + opens.length * 2, 0),
      );
    },
  );
}

t.test('scope claims may be paths to members', async (t) => {
  const { get } = await bench(t, { scope_claims: ['realm_access.roles', 'permissions'] });
  t.equal(
    (await get('/both/a', await jwt({ realm_access: { roles: ['orders.read'] }, permissions: ['orders.write'] })))
      .status,
    200,
  );
  t.equal(
    (await get('/read/a', await jwt({ scope: 'orders.read' }))).status,
    403,
    'a claim that is not listed counts for nothing',
  );
  for (const roles of ['orders.read', { 'orders.read': true }, [['orders.read']], 7, null]) {
    const { status } = await get('/read/a', await jwt({ realm_access: { roles } }));
    t.equal(status, typeof roles === 'string' ? 200 : 403, JSON.stringify(roles));
  }
});

const prefix = 'Bearer realm="api", scope="';
const suffix =
  '", error="insufficient_scope", error_description="The access token lacks a scope that this request needs."';

t.test(
  'insufficient_scope names all scopes of the alternative with the fewest missing, also the ones that the token has',
  async (t) => {
    const { get } = await bench(t);
    const named: readonly (readonly [target: string, held: string, scope: string])[] = [
      ['/read/a', 'admin', 'orders.read'],
      ['/both/a', 'orders.read', 'orders.read orders.write'],
      ['/both/a', '', 'orders.read orders.write'],
      ['/all/a', 'orders.write', 'orders.read orders.write'],
      ['/any/a', '', 'orders.write'],
      ['/any/a', 'orders.read', 'orders.write'],
      ['/any/a', 'admin', 'orders.write'],
    ];
    for (const [target, held, scope] of named) {
      const response = await get(target, await jwt({ scope: held }));
      t.equal(response.status, 403);
      t.equal(JSON.parse(response.body.toString()).code, 'scope_insufficient');
      const challenge = response.header('www-authenticate') ?? '';
      // If two alternatives miss equally many, either may be named.
      const both = target === '/any/a' && held !== '' ? [scope, 'orders.read admin'] : [scope];
      t.ok(
        both.some((each) => challenge === prefix + each + suffix),
        `${target} with ${JSON.stringify(held)}: ${challenge}`,
      );
    }
  },
);

t.test(
  'advisory 5, 6, 7: a token that one route cached is judged again by every other route, its audience too',
  async (t) => {
    const { server, get } = await bench(t);
    server.tokens.set('both-audiences', active('orders.read', { aud: [audience, 'https://soap.example.com'] }));
    server.tokens.set('one-audience', active('orders.read'));
    for (let round = 0; round < 2; round++) {
      t.equal((await get('/read/a', 'one-audience')).status, 200);
      t.equal((await get('/write/a', 'one-audience')).status, 403);
      const wrong = await get('/soap/a', 'one-audience');
      t.equal(wrong.status, 401);
      t.equal(JSON.parse(wrong.body.toString()).code, 'token_audience');
      t.equal((await get('/soap/a', 'both-audiences')).status, 200);
    }
    t.equal(server.introspection.calls.length, 2, 'and each was asked for once');
  },
);

t.test('a scope passes where it implies the required one; headers and log show what the token has', async (t) => {
  const upstream = await witness(t);
  const server = await authorizationServer(t);
  const scopes = { admin: { implies: ['orders.write'] }, 'orders.write': { implies: ['orders.read'] } };
  const file = behind(upstream.url, { authorization_servers: server.config, routes, scopes });
  const { port, log } = await gateway(t, file);
  for (const make of Object.values(kinds)) {
    const token = await make(server, { scope: 'admin' });
    for (const path of paths) {
      const { status } = await ask(port, requestText({ target: `${path}/a`, headers: [bearer(token)] }));
      t.equal(status, 200, path);
      t.equal(upstream.seen.pop()?.header('x-auth-scope'), 'admin');
    }
    const weak = await make(server, { scope: 'orders.read' });
    const { status, ...refused } = await ask(port, requestText({ target: '/any/a', headers: [bearer(weak)] }));
    t.equal(status, 403);
    t.match(refused.header('www-authenticate'), 'scope="orders.write"');
  }
  const refusal = log.find(({ code }) => code === 'scope_insufficient');
  t.match(refusal, { scope_held: ['orders.read'], scope_missing: 'orders.write' });
});

t.test('the upstream gets the identity from the token', async (t) => {
  const { upstream, server, get } = await bench(t);
  for (const [kind, make] of Object.entries(kinds)) {
    await get('/read/a', await make(server, { scope: 'orders.read x', sub: 'bob', client_id: 'till' }));
    const seen = upstream.seen.pop();
    t.same(
      ['x-auth-subject', 'x-auth-client', 'x-auth-scope'].map((name) => seen?.header(name)),
      ['bob', 'till', 'orders.read x'],
      kind,
    );
  }
});

t.test('a claim cannot add a header line', async (t) => {
  const { upstream, get } = await bench(t);
  for (const sub of ['a\r\nX-Auth-Scope: admin', 'a\nb', 'a\0b', 'a\rb', '\u0100']) {
    const { status } = await get('/read/a', await jwt({ scope: 'orders.read', sub }));
    if (status === 200) {
      const seen = upstream.seen.pop();
      t.equal(seen?.all('x-auth-subject').length, 1, JSON.stringify(sub));
      t.same(seen?.all('x-auth-scope'), ['orders.read']);
    } else t.equal(status, 403, JSON.stringify(sub));
  }
});

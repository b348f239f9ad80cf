import t, { type Test } from 'tap';
import { babbling } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { active, authorizationServer } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Waits for servers that do not answer, and for caches that expire: 17 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

async function bench(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const server = await authorizationServer(t, { changes });
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config }));
  const get = (token: string, target = '/orders/1') =>
    ask(port, requestText({ target, headers: [bearer(token)] }), { deadline: 30_000 });
  return { upstream, ...server, get };
}

/** An outage is never reported as an invalid token, and never passes. */
function assertOutage(t: Test, response: RawResponse, title: string): void {
  t.equal(response.status, 503, title);
  t.equal(JSON.parse(response.body.toString()).code, 'authorization_server_unavailable', title);
  t.ok(Number(response.header('retry-after')) > 0, `${title}: Retry-After`);
  t.same(response.all('www-authenticate'), [], title);
}

t.test('the gateway sends its own credentials and the token, in a form of its own (RFC 7662 §2.1)', async (t) => {
  const { tokens, introspection, get } = await bench(t);
  tokens.set('good', active('orders.read'));
  t.equal((await get('good')).status, 200);
  const [call] = introspection.calls;
  t.equal(call?.authorization, `Basic ${Buffer.from('gateway:gateway-secret-of-32-bytes-or-so').toString('base64')}`);
  t.equal(new URLSearchParams(call?.body).get('token'), 'good');
});

t.test('with client_secret_post its credentials are in the form', async (t) => {
  const { tokens, introspection, get } = await bench(t, { introspection_endpoint_auth_method: 'client_secret_post' });
  tokens.set('good', active('orders.read'));
  t.equal((await get('good')).status, 200);
  const form = new URLSearchParams(introspection.calls[0]?.body);
  t.same([form.get('client_id'), form.get('client_secret')], ['gateway', 'gateway-secret-of-32-bytes-or-so']);
  t.equal(introspection.calls[0]?.authorization, undefined);
});

t.test('200 concurrent misses of one token make one call', async (t) => {
  const { tokens, introspection, get } = await bench(t);
  tokens.set('good', active('orders.read'));
  introspection.misbehave(
    (_request, response) =>
      void setTimeout(
        () =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(active('orders.read'))),
        300,
      ),
  );
  const answers = await Promise.all(Array.from({ length: 200 }, () => get('good')));
  t.ok(answers.every(({ status }) => status === 200));
  t.equal(introspection.calls.length, 1);
});

t.test('concurrent misses are each judged by their own route', async (t) => {
  const { tokens, introspection, get } = await bench(t);
  tokens.set('good', active('orders.read'));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => get('good', index % 2 === 0 ? '/orders/1' : '/admin/1')),
  );
  t.same(
    answers.map(({ status }) => status),
    answers.map((_, index) => (index % 2 === 0 ? 200 : 403)),
  );
  t.equal(introspection.calls.length, 1);
});

t.test('advisory 27: tokens that begin or end alike are never confused', async (t) => {
  const { tokens, get, upstream } = await bench(t);
  const names = ['a', 'aa', 'a.a', 'a-', '-a', 'A', 'a=', 'a~', `${'a'.repeat(1000)}b`, `${'a'.repeat(1000)}c`];
  for (const [index, name] of names.entries()) tokens.set(name, active('orders.read', { sub: `user-${index}` }));
  for (let round = 0; round < 2; round++) {
    await Promise.all(names.map((name) => get(name)));
    const seen = upstream.seen
      .splice(0)
      .map(({ header }) => header('x-auth-subject'))
      .sort();
    t.same(seen, names.map((_, index) => `user-${index}`).sort());
  }
});

t.test('an inactive answer is 401, and is cached for a while', async (t) => {
  const { introspection, get } = await bench(t);
  for (let i = 0; i < 5; i++) t.equal((await get('bad')).status, 401);
  t.equal(introspection.calls.length, 1);
});

t.test('an answer is never used past its exp, however long the cache keeps others', async (t) => {
  const { tokens, introspection, get } = await bench(t, { clock_skew: '0s', cache: { ttl: '1h' } });
  const exp = Math.floor(Date.now() / 1000) + 5;
  tokens.set('short', active('orders.read', { exp }));
  t.equal((await get('short')).status, 200);
  tokens.delete('short');
  await new Promise((waited) => setTimeout(waited, 5500));
  t.equal((await get('short')).status, 401);
  t.ok(introspection.calls.length <= 2);
});

t.test('an answer is used for the ttl, and then requested again', async (t) => {
  const { tokens, get } = await bench(t, { cache: { ttl: '3s' } });
  tokens.set('revoked', active('orders.read'));
  t.equal((await get('revoked')).status, 200);
  tokens.delete('revoked');
  t.equal((await get('revoked')).status, 200, 'within the ttl');
  await new Promise((waited) => setTimeout(waited, 3_300));
  t.equal((await get('revoked')).status, 401);
});

/** Semantics 4: answers that are active and still give no access. */
const closed: Readonly<Record<string, Record<string, unknown>>> = {
  'of another token type': { token_type: 'DPoP' },
  'a refresh token': { token_type: 'refresh_token' },
  'for another audience': { aud: 'https://other.example' },
  'for no audience': { aud: undefined },
  expired: { exp: Math.floor(Date.now() / 1000) - 60 },
  'not valid yet': { nbf: Math.floor(Date.now() / 1000) + 600 },
  'bound to a key': { cnf: { jkt: 'x' } },
  'of another issuer': { iss: 'https://evil.example' },
};

t.test('an active answer with a fault is 401', async (t) => {
  const { tokens, upstream, get } = await bench(t);
  for (const [title, members] of Object.entries(closed)) {
    const token = `t-${tokens.size}`;
    tokens.set(token, active('orders.read', members));
    const response = await get(token);
    t.equal(response.status, 401, title);
    t.match(response.header('www-authenticate'), /error="invalid_token"/, title);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('token_type bearer in any case, and a missing one, open the route', async (t) => {
  const { tokens, get } = await bench(t);
  for (const token_type of ['Bearer', 'bearer', undefined]) {
    const token = `t-${tokens.size}`;
    tokens.set(token, active('orders.read', { token_type }));
    t.equal((await get(token)).status, 200, String(token_type));
  }
});

t.test(
  'an authorization server that is down is 503 immediately, and one that is back is used immediately',
  async (t) => {
    const { tokens, introspection, upstream, get } = await bench(t);
    tokens.set('good', active('orders.read'));
    await introspection.down();
    const start = performance.now();
    assertOutage(t, await get('good'), 'dead');
    t.ok(performance.now() - start < 8_000);
    t.equal(upstream.seen.length, 0);
    await introspection.up();
    t.equal((await get('good')).status, 200, 'an outage is never remembered as an answer');
  },
);

t.test('a silent authorization server is 503 after a while', async (t) => {
  const { tokens, introspection, get } = await bench(t);
  tokens.set('good', active('orders.read'));
  introspection.misbehave(() => {});
  const start = performance.now();
  assertOutage(t, await get('good'), 'silent');
  t.ok(performance.now() - start < 20_000, `after ${Math.round(performance.now() - start)} ms`);
});

for (const [name, fault] of Object.entries(babbling)) {
  t.test(`an authorization server that sends garbage is 503, never 401, and never passes: ${name}`, async (t) => {
    const { tokens, introspection, upstream, get } = await bench(t);
    tokens.set('good', active('orders.read'));
    introspection.misbehave(fault);
    assertOutage(t, await get('good'), name);
    introspection.recover();
    t.equal((await get('good')).status, 200, 'an outage is never remembered as an answer');
    t.equal(upstream.seen.length, 1);
  });
}

t.test('cached answers work through an outage until their ttl, other tokens are 503', async (t) => {
  const { tokens, introspection, get } = await bench(t);
  tokens.set('cached', active('orders.read'));
  t.equal((await get('cached')).status, 200);
  await introspection.down();
  t.equal((await get('cached')).status, 200);
  assertOutage(t, await get('other'), 'not cached');
});

t.test('a slow authorization server delays only its own routes', async (t) => {
  const { introspection, get } = await bench(t);
  introspection.misbehave(() => {});
  const waiting = get('slow').catch(() => undefined);
  const start = performance.now();
  t.equal((await get('x', '/public/a')).status, 200);
  t.ok(performance.now() - start < 5_000);
  introspection.recover();
  await introspection.down();
  await waiting;
});

t.test('more concurrent tokens than max_concurrent wait, and each gets its answer', async (t) => {
  const { tokens, introspection, get } = await bench(t, { cache: { max_concurrent: 4 } });
  let open = 0;
  let most = 0;
  introspection.misbehave((_request, response, body) => {
    most = Math.max(most, ++open);
    const scope = new URLSearchParams(body).get('token')?.startsWith('good') ? 'orders.read' : 'none';
    setTimeout(() => {
      open--;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(active(scope)));
    }, 20);
  });
  const names = Array.from({ length: 60 }, (_, index) => `${index % 2 === 0 ? 'good' : 'other'}-${index}`);
  const answers = await Promise.all(names.map((name) => get(name)));
  t.same(
    answers.map(({ status }) => status),
    names.map((_, index) => (index % 2 === 0 ? 200 : 403)),
  );
  t.ok(most <= 4, `${most} at one time`);
  t.equal(tokens.size, 0);
});

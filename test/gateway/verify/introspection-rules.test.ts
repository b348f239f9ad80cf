import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { outage } from '../../../src/base/verdict.ts';
import { type Fetched, failed } from '../../../src/gateway/server-client/fetch-json.ts';
import { buildIntrospection } from '../../../src/gateway/verify/verify-introspection.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';
import { heldClock, settings } from '../server-settings.ts';

const ISSUER = 'https://auth.example.com';

/** An introspection whose server answers what the test says, when the test says it. */
function open(cache: Partial<ReturnType<typeof settings>['cache']> = {}) {
  const clock = heldClock();
  const told: string[] = [];
  const asked: string[] = [];
  const waiting: ((answer: Fetched) => void)[] = [];
  const server = { endpoint: `${ISSUER}/introspect` as string | ReturnType<typeof failed> };
  const rules = { issuer: ISSUER, server: 'main', scopeClaims: ['scope'], skew: 30_000, maxLifetime: 3_600_000 };
  const introspection = buildIntrospection(
    { ...rules, cache: { ...settings(ISSUER).cache, ...cache } },
    {
      ask: (endpoint, token) => {
        asked.push(`${token} at ${endpoint}`);
        return new Promise((resolve) => waiting.push(resolve));
      },
      endpoint: async () => server.endpoint,
      moved: () => told.push('moved'),
      heard: (answer) => told.push(`heard ${JSON.stringify(answer)}`),
      clock,
      faults: {
        failed: (detail, level) => told.push(`${level}: ${detail}`),
        recovered: () => told.push('well'),
      },
      out: (detail) => outage('authorization_servers.main', 5, detail),
    },
  );
  /** The server answers the first question. */
  const reply = async (answer: Fetched | object) => {
    await turn();
    waiting.shift()?.('kind' in answer ? (answer as Fetched) : { kind: 'json', value: answer as JsonObject });
  };
  const tell = async (token: string, answer: Fetched | object) => {
    const verdict = introspection.verify(token);
    await reply(answer);
    return verdict;
  };
  return { clock, told, asked, server, introspection, reply, tell };
}

t.test('an active answer gives the facts for as long as the file says, without leeway', async (t) => {
  const { tell, told } = open({ ttl: 60_000, stale_if_error: 7_000 });
  const answer = { active: true, sub: 'alice', scope: 'a b', client_id: 'shop' };
  const facts = await tell('x', answer);
  t.match(facts, { kind: 'facts', jwt: false, asked: true, freshFor: 60_000, staleFor: 7_000, leeway: 0 });
  t.match(facts, { key: undefined, identity: { server: 'main', subject: 'alice', scopes: new Set(['a', 'b']) } });
  t.strictSame(told, [`heard ${JSON.stringify(answer)}`, 'well']);
});

t.test(
  "times are checked in seconds: the end without leeway, the beginning and the length with the file's leeway",
  async (t) => {
    const { tell, clock } = open();
    const now = clock.now() / 1000;
    const cases: readonly (readonly [claims: object, expected: string])[] = [
      [{ exp: now + 1 }, 'facts'],
      [{ exp: now }, 'token_expired'],
      [{ nbf: now + 30 }, 'facts'],
      [{ nbf: now + 31 }, 'token_not_yet_valid'],
      [{ iat: now, exp: now + 3600 }, 'facts'],
      [{ iat: now, exp: now + 3661 }, 'token_lifetime'],
    ];
    for (const [index, [claims, expected]] of cases.entries()) {
      const verdict = await tell(`t${index}`, { active: true, ...claims });
      t.equal(verdict.kind === 'refused' ? verdict.code : verdict.kind, expected, JSON.stringify(claims));
    }
  },
);

t.test('a refusal is cached for its time, and counts as an answer of the server', async (t) => {
  const { tell, told, asked, clock, introspection } = open({ negative_ttl: 5_000 });
  t.match(await tell('x', { active: false }), { kind: 'refused', code: 'token_inactive' });
  t.strictSame(told, ['heard {"active":false}', 'well']);
  clock.advance(4_999);
  t.match(introspection.verify('x'), { code: 'token_inactive' }, 'without a promise');
  t.equal(introspection.negatives(), 1);
  t.equal(introspection.calls(), 1);
  clock.advance(1);
  t.match(await tell('x', { active: true }), { kind: 'facts' });
  t.strictSame(asked, [`x at ${ISSUER}/introspect`, `x at ${ISSUER}/introspect`]);
});

t.test(
  'a failed call is an outage that is logged, and for a second the next requests fail without a call',
  async (t) => {
    const { tell, told, clock, introspection } = open();
    t.equal(introspection.isOut(), false);
    const out = outage('authorization_servers.main', 5, 'status 500');
    t.strictSame(await tell('x', failed('status 500', 500)), out);
    t.strictSame(told, ['warn: status 500'], 'there is no answer to hear');
    t.equal(introspection.negatives(), 0, 'and nothing to remember');
    clock.advance(999);
    t.ok(introspection.isOut());
    clock.advance(1);
    t.notOk(introspection.isOut());
  },
);

t.test('if the server refuses the gateway itself, the log has an error for its operator', async (t) => {
  for (const status of [401, 403]) {
    const { tell, told } = open();
    const reason = `status ${status}: the server rejects this gateway's client_id or its secret`;
    t.match(await tell('x', failed(`status ${status}`, status)), { kind: 'outage', detail: reason });
    t.strictSame(told, [`error: ${reason}`]);
  }
  const { tell, told } = open();
  await tell('x', failed('status 404', 404));
  t.strictSame(told, ['warn: status 404']);
});

t.test('an answer without content is an outage, counted and logged', async (t) => {
  const { tell, told, introspection } = open();
  t.match(await tell('x', { active: 'yes' }), { kind: 'outage', detail: 'active is of the wrong type' });
  t.strictSame(told, ['heard {"active":"yes"}', 'warn: active is of the wrong type']);
  t.ok(introspection.isOut());
});

t.test('without an endpoint no call is made', async (t) => {
  const { tell, asked, server, introspection } = open();
  server.endpoint = failed('no metadata');
  t.match(await tell('x', { active: true }), { kind: 'outage', detail: 'no metadata' });
  t.strictSame(asked, []);
  t.equal(introspection.calls(), 0);
});

t.test('cached answers of an endpoint are dropped once another one replaces it', async (t) => {
  const { tell, told, server, introspection, asked } = open();
  await tell('x', { active: false });
  await tell('y', { active: false });
  t.notOk(told.includes('moved'), 'the first took no place');
  server.endpoint = `${ISSUER}/other`;
  t.match(introspection.verify('x'), { kind: 'refused' }, 'nobody knows of it yet');
  await tell('z', { active: true });
  t.equal(told.filter((each) => each === 'moved').length, 1);
  t.equal(introspection.negatives(), 0);
  await tell('x', { active: false });
  t.equal(asked.at(-1), `x at ${ISSUER}/other`);
  t.equal(told.filter((each) => each === 'moved').length, 1, 'it has not moved again');
});

t.test('simultaneous questions about one token are one call', async (t) => {
  const { introspection, tell } = open();
  const first = introspection.verify('x');
  t.equal(introspection.verify('x'), first);
  t.not(introspection.verify('y'), first);
  const answered = tell('x', { active: true });
  t.equal(introspection.calls(), 0, 'not yet');
  await answered;
  t.equal(introspection.calls(), 2);
  t.not(introspection.verify('x'), first, 'an answer that came is no answer to the next question');
});

t.test('after a revocation an answer on its way is not shared, and its arrival ends no later question', async (t) => {
  const { introspection, reply } = open();
  const before = introspection.verify('x');
  introspection.forget();
  const after = introspection.verify('x');
  t.not(after, before);
  await reply({ active: true });
  t.match(await before, { kind: 'facts' });
  t.equal(introspection.verify('x'), after, 'it is still under way');
  await reply({ active: false });
  t.match(await after, { code: 'token_inactive' });
});

t.test('too many simultaneous questions say nothing about the server, and block no known client', async (t) => {
  const { introspection, told, reply } = open({ max_concurrent: 1 });
  const strangers = Array.from({ length: 17 }, (_, index) => introspection.verify(`s${index}`));
  t.match(await introspection.verify('late'), {
    kind: 'outage',
    dependency: 'authorization_servers.main',
    detail: 'too many calls: full',
  });
  t.strictSame(told, []);
  t.notOk(introspection.isOut());
  const known = introspection.verify('known', true);
  for (let n = 0; n < 18; n++) await reply({ active: true });
  for (const each of [...strangers, known]) t.match(await each, { kind: 'facts' });
});

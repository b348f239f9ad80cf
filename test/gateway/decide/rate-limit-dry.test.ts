import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { buildLog } from '../../../src/base/log.ts';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { Deadlines } from '../../../src/gateway/client/deadlines.ts';
import { Stalls } from '../../../src/gateway/client/stalls.ts';
import type { Outcome } from '../../../src/gateway/decide/outcome.ts';
import { changedSettings } from '../../../src/gateway/diff/changed-settings.ts';
import { compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { readDecisionLine } from '../../../src/gateway/diff/recorded.ts';
import { replay } from '../../../src/gateway/diff/replay.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { explain } from '../../../src/gateway/explain/explain.ts';
import { runTests } from '../../../src/gateway/explain/run-tests.ts';
import { buildGeneration } from '../../../src/gateway/generation/generation.ts';
import { emptyReloadPool } from '../../../src/gateway/generation/reload-pool.ts';
import { Decisions } from '../../../src/gateway/telemetry/decisions.ts';
import { FullShares } from '../../../src/gateway/telemetry/full-shares.ts';
import { gatewayYaml } from '../../support/gateway.ts';
import { hmacServer, jwt } from '../../support/tokens.ts';
import { headOf } from '../head.ts';

interface Given {
  readonly limit?: object;
  readonly access?: string;
  readonly tests?: object[];
}

function load({ limit, access, tests = [] }: Given) {
  const who = access === undefined ? { scope: 'orders.read' } : { access };
  const route = { id: 'orders', match: { path: '/orders' }, ...who, ...(limit && { rate_limit: limit }) };
  const body = {
    authorization_servers: hmacServer,
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    routes: [route],
    tests,
  };
  const loaded = loadGatewayText(gatewayYaml(body), { file: 'gateway.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded;
}

const once = (by: string) => ({ by, requests: 1, per: '1m' });

t.test('with counters in memory a cached token is limited without a promise', async (t) => {
  const clock = systemClock;
  const log = buildLog({ level: 'silent', format: 'json' });
  const listener = {
    draining: false,
    tunnels: new Set<never>(),
    listening: new Set<never>(),
    sessions: new Set<never>(),
    doomed: new WeakSet(),
    leaving: new WeakSet(),
    proved: new Set<never>(),
    shaking: { watch: () => undefined, end: () => undefined },
  };
  const stalls = new Stalls(clock);
  const fullShares = new FullShares(clock, log);
  const kept = emptyReloadPool();
  t.teardown(async () => {
    stalls.close();
    await kept.close();
  });
  for (const by of ['client_id', 'address']) {
    const { config, directory } = load({ limit: once(by) });
    const decisions = new Decisions(log, clock);
    const { engine } = buildGeneration(config, {
      clock,
      log,
      decisions,
      stalls,
      deadlines: new Deadlines(),
      fullShares,
      kept,
      listener,
      directory,
    });
    const bearer = `Bearer ${await jwt({ scope: 'orders.read', client_id: by }, { alg: 'HS256' })}`;
    const decide = () => {
      const routed = engine.route(headOf(['Host', 'api.example.com', 'Authorization', bearer], 'GET', '/orders'));
      if (routed.kind !== 'routed') throw new Error(routed.kind);
      return engine.decide(routed);
    };
    t.equal((await decide()).kind, 'forward');
    const second = decide();
    t.notOk(second instanceof Promise, by);
    t.match(second as Outcome, { kind: 'refuse', code: 'rate_limited' });
  }
});

async function explained(given: Given, token?: object) {
  const loaded = load(given);
  const tokens = new Map(token === undefined ? [] : [['assumed', token]]);
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, tokens));
  const asked = { method: 'GET', host: 'api.example.com', target: '/orders', ...(token && { token: 'assumed' }) };
  return [await explain(loaded, dry, asked), await explain(loaded, dry, asked)] as const;
}

t.test('explain shows a limit where the engine applies it, and counts nothing', async (t) => {
  const shop = { scope: 'orders.read', client_id: 'shop' };
  for (const [by, before, after] of [
    ['address', 'credential', 'verify'],
    ['client_id', 'verify', 'permit'],
  ] as const) {
    const both = await explained({ limit: once(by) }, shop);
    for (const { steps, answer } of both) {
      t.equal(answer.kind, 'forward');
      const names = steps.map(({ step }) => step);
      const at = names.indexOf('throttle');
      t.strictSame([names[at - 1], names[at + 1]], [before, after]);
      t.match(steps[at], {
        verdict: 'passed',
        detail: `1 in 60 s by ${by}; this command counts no request`,
        at: /^gateway.yaml:\d+$/,
      });
    }
  }
  const [{ steps }] = await explained({ limit: once('client_id'), access: 'optional' });
  t.match(
    steps.find(({ step }) => step === 'throttle'),
    {
      verdict: 'passed',
      detail: '1 in 60 s by client_id; by address if there is no token; this command counts no request',
    },
  );
});

t.test('explain does not reach a limit after a refusal', async (t) => {
  const [{ steps }] = await explained({ limit: once('address') });
  t.match(
    steps.filter(({ step }) => step === 'credential' || step === 'throttle'),
    [{ verdict: 'refused' }, { verdict: 'not reached' }],
  );
});

t.test('a limit does not apply to the tests of a file', async (t) => {
  const test = { request: 'GET /orders', token: { scope: 'orders.read' }, expect: { forward: true } };
  t.strictSame(await runTests(load({ limit: once('address'), tests: [test, test, test] })), []);
});

t.test('diff reports a limit that allows more, and no other change', async (t) => {
  const told = (was: object | undefined, is: object | undefined) =>
    changedSettings(load({ ...(was && { limit: was }) }).config, load({ ...(is && { limit: is }) }).config);
  const limit = { by: 'client_id', requests: 100, per: '1m' };
  const was = 'routes.orders.rate_limit: was 100 in 60 s by client_id, now ';
  t.strictSame(told(limit, undefined), [`${was}none`]);
  t.strictSame(told(limit, { ...limit, requests: 101 }), [`${was}101 in 60 s by client_id`]);
  t.strictSame(told(limit, { ...limit, per: '30s' }), [`${was}100 in 30 s by client_id`]);
  t.strictSame(told(limit, { ...limit, by: 'sub' }), [`${was}100 in 60 s by sub`]);
  t.strictSame(told(limit, { ...limit, requests: 99 }), []);
  t.strictSame(told(limit, { ...limit, per: '5m' }), []);
  t.strictSame(told(undefined, limit), []);
  t.strictSame(told(limit, limit), []);
});

t.test('a recorded 429 says nothing about the rules', async (t) => {
  const line = JSON.stringify({ method: 'GET', path: '/orders', code: 'rate_limited', route: 'orders' });
  t.ok(readDecisionLine(line));
  const side = () => compileFile(load({ limit: once('address') }));
  t.strictSame(await replay([line], side(), side()), { requests: 0, changed: [], undecided: 0, ignored: 1 });
});

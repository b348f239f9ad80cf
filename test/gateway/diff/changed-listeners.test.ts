import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';
import { gatewayBase } from '../../config/base-config.ts';

const READY = { '/orders/health': { upstream: 'orders', path: '/health' } };

function file(pass: object, maxAge = '0s') {
  const base: object = gatewayBase();
  const health = { listen: '127.0.0.1:9900', pass };
  const decision = { listen: '127.0.0.1:8082', max_age: maxAge };
  const text = JSON.stringify({ ...base, trusted_proxies: ['127.0.0.1'], health, decision });
  const loaded = loadGatewayText(text, { file: 'gateway.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded;
}

type Case = readonly [before: ReturnType<typeof file>, after: ReturnType<typeof file>, told: readonly string[]];

const cases: Readonly<Record<string, Case>> = {
  'a new path of the health listener': [file({}), file(READY), ['health.pass./orders/health: now /health of orders']],
  'another target of such a path': [
    file(READY),
    file({ '/orders/health': { upstream: 'orders', path: '/orders/1' } }),
    ['health.pass./orders/health: now /orders/1 of orders'],
  ],
  'a path that is gone': [file(READY), file({}), []],
  'the same paths': [file(READY), file(READY), []],
  'decisions that proxies keep for longer': [file({}, '1s'), file({}, '5s'), ['decision.max_age: was 1s, now 5s']],
  'decisions that proxies keep for less time': [file({}, '5s'), file({}, '1s'), []],
};

for (const [name, [before, after, told]] of Object.entries(cases))
  t.test(`${name}: ${told.length === 0 ? 'loads by itself' : 'waits, because it may allow more'}`, async (t) => {
    const { opened, doubtful } = await openings(before, after);
    t.strictSame([...opened, ...doubtful], told);
  });

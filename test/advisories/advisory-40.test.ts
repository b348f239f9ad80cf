import t from 'tap';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { bench } from './bench.ts';

const dots = ['%2E%2E', '%2e%2e', '%2e%2E', '.%2E', '%2e.', '..', '%2E', '.'];
const places = (dot: string) => [
  `/${dot}`,
  `/orders/${dot}`,
  `/orders/${dot}/x`,
  `/orders/a/${dot}/x?q=1`,
  `/${dot}/orders`,
];

/** GHSA-2q7r-29rg-6m5h: `%2E%2E` escaped from the base path of the upstream. */
t.test('advisory 40: an encoded dot segment is 400 everywhere, with a token too', async (t) => {
  const { send, upstream } = await bench(t);
  const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  for (const target of dots.flatMap(places)) {
    const response = await send({ target, headers: [token] });
    t.equal(response.status, 400, target);
    t.equal(JSON.parse(response.body.toString()).code, 'target_dot_segment', target);
  }
  t.equal(upstream.seen.length, 0);
  t.equal((await send({ target: '/orders/%2E%2E%2E', headers: [token] })).status, 200, 'three dots are a name');
});

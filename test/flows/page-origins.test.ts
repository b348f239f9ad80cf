import t from 'tap';
import { asks, shapes } from '../support/asking.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const shop = 'https://shop.example';
const origin = (text: string) => ['Origin', text] as const;
const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', origins: [shop] }];
const token = () => jwt({ scope: 'orders.read' }, { alg: 'HS256' });

t.test('a page that the route does not list gets 403, and its request reaches no upstream', async (t) => {
  const upstream = await witness(t);
  const { port, log } = await gateway(t, behind(upstream.url, { routes }));
  const send = (...headers: readonly (readonly [string, string])[]) =>
    ask(port, requestText({ target: '/orders/1', headers }));
  const valid = bearer(await token());
  for (const headers of [
    [origin('https://evil.example')],
    [origin('null'), valid],
    [origin(shop), ['origin', shop] as const, valid],
    [['ORIGIN', 'https://evil.example'] as const, valid],
  ]) {
    const response = await send(...headers);
    t.equal(response.status, 403, String(headers));
    t.match(JSON.parse(response.body.toString()), { code: 'origin_refused', status: 403 });
    t.equal(response.header('www-authenticate'), undefined);
  }
  t.equal(upstream.seen.length, 0);
  t.match(
    log.find(({ code }) => code === 'origin_refused'),
    { route: 'orders', step: 'route', reason: 'the origin https://evil.example is not in `origins`' },
  );
  t.equal((await send(origin('HTTPS://Shop.Example'), valid)).status, 200);
  t.equal((await send(valid)).status, 200);
  t.equal((await send(origin(shop))).status, 401);
});

for (const [name, shape] of Object.entries(shapes)) {
  t.test(
    `${name}: the page is judged for an asking proxy too, and a cache is told that the origin matters`,
    async (t) => {
      const upstream = await witness(t);
      const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
      const running = await gateway(t, behind(upstream.url, { ...decision, routes }));
      const valid = bearer(await token());
      const send = (text: string) => asks(running, shape({ target: '/orders/1', headers: [valid, origin(text)] }));
      const refused = await send('https://evil.example');
      t.equal(refused.status, 403);
      const passed = await send(shop);
      t.equal(passed.status, 200);
      t.match(passed.header('vary'), /\borigin\b/i);
    },
  );
}

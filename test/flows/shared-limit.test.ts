import t from 'tap';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { redisServer, skipWithoutRedis as skip } from '../support/redis.ts';
import { reloadable } from '../support/reloadable.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';

t.test(
  'two gateways share a limit; without their Redis each counts alone, and no request gets a 503',
  { skip },
  async (t) => {
    const redis = await redisServer(t);
    const api = await endpoint(t, (_request, response) => json(response, 'from the upstream'));
    const match = { path: '/orders/{id}' };
    const rate_limit = { by: 'client_id', requests: 3, per: '1h' };
    const body = behind(api.url, {
      admin: '127.0.0.1:0',
      counters: redis.url,
      routes: [{ id: 'orders', match, scope: 'orders.read', rate_limit }],
    });
    const [one, other] = [await gateway(t, body), await gateway(t, body)];

    const ask = async ({ url }: typeof one, client: string) => {
      const token = await jwt({ scope: 'orders.read', client_id: client }, { alg: 'HS256' });
      const answer = await fetch(`${url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
      await answer.text();
      return answer.status;
    };
    const alternating = async (client: string, times: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time++) statuses.push(await ask(time % 2 === 0 ? one : other, client));
      return statuses;
    };
    const reachable = async ({ adminUrl }: typeof one) =>
      (await (await fetch(`${adminUrl}/metrics`)).text()).includes('gatehouse_counters_reachable 1\n');
    const ready = async ({ adminUrl }: typeof one) => {
      const answer = await fetch(`${adminUrl}/readyz`);
      return { status: answer.status, body: await answer.json() };
    };
    const told = (message: RegExp) =>
      [one, other].map(({ log }) => log.filter(({ msg }) => message.test(String(msg))).length);

    t.strictSame(await alternating('shared', 5), [200, 200, 200, 429, 429]);
    t.ok((await reachable(one)) && (await reachable(other)));
    t.strictSame(await ready(one), { status: 200, body: { status: 'ready' } });

    await redis.kill();
    t.strictSame(await alternating('apart', 8), [200, 200, 200, 200, 200, 200, 429, 429], 'three at each');
    t.notOk(await reachable(one));
    t.match(await ready(one), { status: 200, body: { status: 'ready', remark: /counts alone/ } });
    t.strictSame(told(/counts alone/), [1, 1]);

    await redis.start();
    t.ok(await until(() => told(/reachable again/).every((count) => count === 1)));
    t.strictSame(await alternating('again', 5), [200, 200, 200, 429, 429]);
    t.ok((await reachable(one)) && (await reachable(other)));
    t.strictSame(told(/counts alone/), [1, 1], 'once a change');
  },
);

t.test(
  'a reload keeps the connection to the same Redis, and closes one that the file no longer names',
  { skip },
  async (t) => {
    const redis = await redisServer(t);
    const body = (more: object) => behind('http://127.0.0.1:9', { counters: redis.url, ...more });
    const running = await reloadable(t, body({}));
    t.equal(await redis.connections(), 1);
    await running.take(body({ realm: 'other' }));
    t.equal(await redis.connections(), 1);
    await running.take(body({ counters: 'memory' }));
    t.ok(await until(async () => (await redis.connections()) === 0));
    t.equal(await running.metric('gatehouse_counters_reachable'), 1);
    await running.take(body({}));
    t.equal(await redis.connections(), 1);
    await running.stop();
    t.ok(await until(async () => (await redis.connections()) === 0), 'a stop leaves nothing behind');
  },
);

import t from 'tap';
import { basic, type Running, run, shop } from '../authorization/running-service.ts';
import { redisServer, skipWithoutRedis as skip } from '../support/redis.ts';
import { until } from '../support/until.ts';

const wrong = { id: shop.id, secret: 'cs_guessed-secret-of-32-bytes-ok' };

async function guess({ post }: Running, times = 1): Promise<Response> {
  for (let time = 1; time < times; time++) await guess({ post } as Running);
  const response = await post('/oauth2/token', { grant_type: 'client_credentials' }, basic(wrong));
  await response.text();
  return response;
}

async function readiness({ admin }: Running) {
  const response = await fetch(`${admin}/readyz`);
  return { status: response.status, body: await response.json() };
}

t.test(
  'two authorization services share the count of guesses at a secret, and count alone without Redis',
  { skip },
  async (t) => {
    const redis = await redisServer(t);
    const config = { counters: { url: redis.url }, login: { max_failures: 3, window: 60_000 } };
    const [one, other] = [await run(t, { config }), await run(t, { config })];
    t.equal((await guess(one, 2)).status, 401);
    t.equal((await guess(other)).status, 401);
    for (const service of [one, other]) {
      const refused = await guess(service);
      t.equal(refused.status, 429);
      const seconds = Number(refused.headers.get('retry-after'));
      t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
    }
    t.ok(await other.token(), 'a right secret always passes');
    t.strictSame(await readiness(one), { status: 200, body: { status: 'ready' } });

    await redis.kill();
    t.equal((await guess(one, 3)).status, 401, 'counted anew, in this process');
    t.equal((await guess(one)).status, 429);
    t.match(await readiness(one), { status: 200, body: { status: 'ready', remark: /counts alone/ } });
    t.match(await (await fetch(`${one.admin}/metrics`)).text(), 'gatehouse_authorization_counters_reachable 0');

    await redis.start();
    t.ok(await until(() => one.service.counters.reachable() && other.service.counters.reachable()));
    t.equal((await guess(one, 3)).status, 401);
    t.equal((await guess(other)).status, 429);
  },
);

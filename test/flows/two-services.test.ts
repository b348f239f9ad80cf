import { randomBytes } from 'node:crypto';
import t from 'tap';
import { code, tokens as granted, redeem, refresh, type TokenAnswer } from '../authorization/grant-flow.ts';
import { gateway, type Running, run, shop, web } from '../authorization/running-service.ts';
import { isFullSize } from '../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { settableClock } from '../support/settable-clock.ts';

const sizes = isFullSize ? { codes: 200, families: 500 } : { codes: 10, families: 20 };

/** Starts PostgreSQL, and opens services: 23 s in .ci/run on a busy machine. */
t.setTimeout(600_000);

t.test('two services on one PostgreSQL', { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  // Its clients send ten thousand requests in a minute.
  const tokens = { max_a_minute: 1_000_000 };
  const config = { storage: await server.database(), encryption_keys: [randomBytes(32).toString('base64')], tokens };
  const clock = settableClock();
  const [one, two] = await Promise.all([run(t, { config, clock }), run(t, { config, clock })]);

  t.test(`${sizes.codes} codes, each redeemed 50 times at once: exactly one gets 200`, async (t) => {
    const winners: number[] = [];
    for (let count = 0; count < sizes.codes; count++) {
      const text = await code(one);
      const answers = await spread(50, (service) => redeem(service, text));
      winners.push(answers.filter(({ status }) => status === 200).length);
      const others = answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 400);
      t.strictSame(others, []);
    }
    t.strictSame(new Set(winners), new Set([1]));
  });

  t.test(
    `${sizes.families} refresh tokens, each used 20 times at once: one succeeds, and no family forks`,
    async (t) => {
      const outcomes: string[] = [];
      for (let count = 0; count < sizes.families; count++) {
        const { refresh_token } = await granted(one);
        const answers = await spread(20, (service) => refresh(service, refresh_token));
        const won = answers.filter(({ status }) => status === 200);
        const [winner] = won;
        const next = winner && ((await winner.json()) as TokenAnswer);
        const alive = next && (await refresh(two, next.refresh_token)).status === 200;
        outcomes.push(`${won.length} ${alive}`);
      }
      t.strictSame(new Set(outcomes), new Set(['1 true']));
    },
  );

  t.test('a stolen refresh token that is used again at the other service ends its family at both', async (t) => {
    const first = await granted(one);
    const second = (await (await refresh(one, first.refresh_token)).json()) as TokenAnswer;
    clock.advance(11_000);
    t.equal((await refresh(two, first.refresh_token)).status, 400);
    for (const service of [one, two]) {
      t.equal((await refresh(service, second.refresh_token)).status, 400);
      for (const { access_token } of [first, second])
        t.equal((await service.introspect(access_token, gateway)).active, false);
    }
  });

  t.test('what one service revokes, the other refuses', async (t) => {
    const token = await one.token({}, shop);
    t.equal((await two.introspect(token, gateway)).active, true);
    await one.post('/oauth2/revoke', { token, client_id: shop.id, client_secret: shop.secret });
    t.equal((await two.introspect(token, gateway)).active, false);
    const family = await granted(one);
    await two.post('/oauth2/revoke', { token: family.refresh_token, client_id: web.id, client_secret: web.secret });
    t.equal((await refresh(one, family.refresh_token)).status, 400);
    t.equal((await one.introspect(family.access_token, gateway)).active, false);
  });

  t.test('a JWT of one service is verified by the other', async (t) => {
    const token = await one.token({}, { id: 'shop-jwt', secret: shop.secret });
    t.equal((await two.introspect(token, gateway)).active, true);
  });

  function spread(times: number, ask: (service: Running) => Promise<Response>): Promise<Response[]> {
    return Promise.all(Array.from({ length: times }, (_, index) => settled(() => ask(index % 2 === 0 ? one : two))));
  }
});

/** A machine that stalls for two seconds causes an outage of the lock. */
const OUTAGES = 10;

/**
 * The answer to a request. After an outage the client repeats its request, as `Retry-After` says, and that must not
 * succeed twice.
 */
async function settled(ask: () => Promise<Response>): Promise<Response> {
  for (let outages = 0; ; outages++) {
    const answer = await ask();
    if (answer.status !== 503 || outages === OUTAGES) return answer;
    await answer.body?.cancel();
  }
}

import t, { type Test } from 'tap';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { logoutToken, sendLogout } from '../support/reports.ts';
import { settableClock } from '../support/settable-clock.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** The list of ended sessions is swept each second, and the log each ten seconds. */
t.setTimeout(90_000);

const LIFETIME = 600;
const SKEW = 30;

async function server(t: Test): Promise<object> {
  const changes = {
    verify: 'jwt',
    events: 'none',
    max_token_lifetime: `${LIFETIME}s`,
    clock_skew: `${SKEW}s`,
    backchannel_logout: { audiences: ['shop'] },
  };
  return (await authorizationServer(t, { changes })).config;
}

const logOut = async ({ receiverUrl }: TestGateway, claims: Record<string, unknown>) =>
  (await sendLogout(`${receiverUrl}/backchannel-logout/main`, await logoutToken(claims))).status;

t.test('a logout has an effect for max_token_lifetime, and is then forgotten', async (t) => {
  const upstream = await witness(t);
  // Whole seconds, so that the test knows when each of them ends.
  const clock = settableClock(Math.floor(Date.now() / 1000) * 1000);
  const now = () => clock.now() / 1000;
  const body = behind(upstream.url, {
    authorization_servers: await server(t),
    receiver: { listen: '127.0.0.1:0' },
    admin: '127.0.0.1:0',
  });
  const running = await gateway(t, body, clock);
  const tokenFrom = (iat: number, sid?: string) =>
    jwt({ scope: 'orders.read', iat, exp: iat + LIFETIME, ...(sid && { sid }) });
  const said = async (token: string) =>
    (await fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } })).status;
  const entries = async () =>
    Number(/^gatehouse_receiver_entries (\d+)$/m.exec(await (await fetch(`${running.adminUrl}/metrics`)).text())?.[1]);
  const [start, before] = [now(), await tokenFrom(now())];
  t.equal(await logOut(running, { sid: 's1', sub: 'alice', iat: start, exp: start + 60 }), 200);
  t.equal(await entries(), 1);
  // The last moment at which a token from before the logout is accepted.
  clock.advance((LIFETIME + SKEW - 1) * 1000);
  // Two sweeps of the list happen here, and remove nothing.
  const swept = performance.now() + 2_500;
  t.ok(await until(async () => (await said(await tokenFrom(now(), 's1'))) === 401 && performance.now() > swept));
  t.equal(await entries(), 1);
  t.equal(await said(before), 401, 'a token of the user that names no session');
  clock.advance(3_000);
  t.ok(await until(async () => (await said(await tokenFrom(now(), 's1'))) === 200), 'the session is not listed');
  t.ok(await until(async () => (await entries()) === 0), 'the log has no entry');
  t.equal(await said(before), 401, 'the token has expired');
});

t.test(
  'the streams of a session end at every replica, whichever gets the logout',
  {
    skip: skipWithoutRedis,
  },
  async (t) => {
    const upstream = await witness(t, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const { url: counters } = await redisServer(t);
    const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', end_with: 'token' }];
    const receiver = { listen: '127.0.0.1:0' };
    const body = behind(upstream.url, { authorization_servers: await server(t), routes, receiver, counters });
    const pair = [await gateway(t, body), await gateway(t, body)] as const;
    const over = new AbortController();
    t.teardown(() => over.abort());
    const open = async ({ url }: TestGateway, sid: string) => {
      const headers = { authorization: `Bearer ${await jwt({ scope: 'orders.read', sid })}` };
      const answer = await fetch(`${url}/orders/1`, { headers, signal: over.signal });
      t.equal(answer.status, 200);
      const stream = { isOver: false };
      void answer
        .text()
        .catch(() => {})
        .finally(() => {
          stream.isOver = true;
        });
      return stream;
    };
    const others = await Promise.all(pair.map((each) => open(each, 'other')));
    for (const [index, receiving] of pair.entries()) {
      const streams = await Promise.all(pair.map((each) => open(each, `s${index}`)));
      t.equal(await logOut(receiving, { sid: `s${index}` }), 200);
      t.ok(await until(() => streams.every(({ isOver }) => isOver)));
    }
    t.notOk(
      others.some(({ isOver }) => isOver),
      'streams of another session stay',
    );
  },
);

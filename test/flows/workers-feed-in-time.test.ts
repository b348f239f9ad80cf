import t from 'tap';
import { basic, shop } from '../authorization/running-service.ts';
import { runWithUserKeys } from '../authorization/user-key-flow.ts';
import { countingProxy } from '../support/counting-proxy.ts';
import { behind } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { witness } from '../support/witness.ts';
import { eventually, followed } from './revoked.ts';
import { all, every, oneEach } from './worker-clients.ts';

/** Starts five programs: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('one feed for four workers: all of them refuse what it revokes within a second', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const between = await countingProxy(t, service.url);
  const served = await group(t, behind(upstream.url, { authorization_servers: followed(between), development: true }));
  t.ok(await eventually(async () => (await served.metric('gatehouse_feed_stale')) === 0));
  const shopJwt = { id: 'shop-jwt', secret: shop.secret };
  const other = await service.token({}, shopJwt);
  const clients = await oneEach(t, served);
  t.strictSame(await all(clients, other), every('200'));
  const token = await service.token({}, shopJwt);
  const isRevoked = async () => (await all(clients, token)).every((text) => text === '401 token_revoked');
  const { measure } = await lateness(t);
  t.strictSame(await all(clients, token), every('200'));
  await service.post('/oauth2/revoke', { token }, basic(shopJwt));
  inTime(t, 'within a second', 1_000, await measure(async () => t.ok(await eventually(isRevoked))));
  t.strictSame(await all(clients, other), every('200'));
  t.equal(between.count('/oauth2/events'), 1);
  t.equal(between.count('/oauth2/jwks'), 1);

  const [pid = 0] = served.pids();
  process.kill(pid, 'SIGKILL');
  t.ok(await served.serves(4));
  const fresh = await oneEach(t, served);
  t.strictSame(await all(fresh, token), every('401 token_revoked'), 'a worker that came later knows it too');
  t.strictSame(await all(fresh, other), every('200'));
  t.equal(between.count('/oauth2/events'), 1);
  t.equal(between.open('/oauth2/events'), 1);
});

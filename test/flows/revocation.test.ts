import t from 'tap';
import { tokens } from '../authorization/grant-flow.ts';
import { basic, shop, web } from '../authorization/running-service.ts';
import { jwtOf, kidOf, rotate, runWithUserKeys, webJwt } from '../authorization/user-key-flow.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { refusedWithinASecond } from './refused-in-time.ts';
import { eventually, follow } from './revoked.ts';

const REVOKED = '401 token_revoked';

t.test("a rotated user key ends the user's JWTs within a second on two gateways, and no other user's", async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateways = [await follow(t, upstream, service), await follow(t, upstream, service)];
  let old = '';
  const bystander = (await jwtOf(service, 'bob')).access_token;
  const others: string[] = [];
  let going = true;
  const watching = Promise.all(
    gateways.map(async (each) => {
      while (going) others.push(await each.said(bystander));
    }),
  );
  await refusedWithinASecond(t, gateways, async () => {
    old = (await jwtOf(service)).access_token;
    for (const each of gateways) t.equal(await each.said(old), '200');
    await rotate(service);
    return old;
  });
  const fresh = (await jwtOf(service)).access_token;
  t.not(kidOf(fresh), kidOf(old));
  for (const each of gateways) {
    t.equal(await each.said(fresh), '200', 'the next token of the same user passes');
    t.equal(await each.said(old), REVOKED);
  }
  t.ok(await until(() => others.length > 10));
  going = false;
  await watching;
  t.strictSame([...new Set(others)], ['200']);
});

t.test('a dead key is dead for a token that was never seen before, without a request for it', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  let unseen = '';
  await refusedWithinASecond(t, [gateway], async () => {
    const seen = (await jwtOf(service)).access_token;
    unseen = (await jwtOf(service)).access_token;
    t.equal(kidOf(seen), kidOf(unseen));
    t.equal(await gateway.said(seen), '200');
    await rotate(service);
    return seen;
  });
  const fetches = await gateway.metric('gatehouse_user_key_fetches{server="main"}');
  t.equal(await gateway.said(unseen), REVOKED);
  t.equal(await gateway.metric('gatehouse_user_key_fetches{server="main"}'), fetches);
});

t.test('a revoked JWT is refused within a second, by its jti, whatever is cached', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  const shopJwt = { id: 'shop-jwt', secret: shop.secret };
  const other = await service.token({}, shopJwt);
  t.equal(await gateway.said(other), '200');
  let token = '';
  await refusedWithinASecond(t, [gateway], async () => {
    token = await service.token({}, shopJwt);
    t.equal(await gateway.said(token), '200');
    t.equal((await service.post('/oauth2/revoke', { token }, basic(shopJwt))).status, 200);
    return token;
  });
  const refused = await gateway.get(token);
  t.match(refused.header('www-authenticate'), /error="invalid_token"/);
  t.equal(await gateway.said(other), '200');
  t.ok(
    gateway.log.some(({ code, msg }) => code === 'token_revoked' && msg === 'token_revoked'),
    'the decision record says why',
  );
});

t.test('a revoked opaque token is refused within a second, although its answer is cached for a minute', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  const other = await service.token();
  t.equal(await gateway.said(other), '200');
  await refusedWithinASecond(t, [gateway], async () => {
    const token = await service.token();
    t.equal(await gateway.said(token), '200');
    t.equal((await service.post('/oauth2/revoke', { token }, basic(shop))).status, 200);
    return token;
  });
  t.equal(await gateway.said(other), '200');
});

t.test('a grant that ends takes its tokens with it, JWTs and opaque ones, and no other grant’s', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  for (const client of [web, webJwt]) {
    const stays = await tokens(service, {}, client);
    t.equal(await gateway.said(stays.access_token), '200');
    await refusedWithinASecond(t, [gateway], async () => {
      const gone = await tokens(service, {}, client);
      t.equal(await gateway.said(gone.access_token), '200');
      const form = { token: gone.refresh_token };
      t.equal((await service.post('/oauth2/revoke', form, basic(client))).status, 200);
      return gone.access_token;
    });
    t.equal(await gateway.said(stays.access_token), '200', client.id);
  }
});

t.test('everything that a client was issued ends with the client', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  const shopJwt = { id: 'shop-jwt', secret: shop.secret };
  const other = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(other), '200');
  const seconds = () => Math.floor(Date.now() / 1000);
  await refusedWithinASecond(t, [gateway], async () => {
    const token = await service.token({}, shopJwt);
    t.equal(await gateway.said(token), '200');
    const now = seconds();
    await service.service.records.revokeTokensOfClient({ id: 'shop-jwt', nbf: now + 1, now, lifetime: 900 });
    return token;
  });
  t.equal(await gateway.said(other), '200');
});

t.test('metrics show the feed: connected, its lag, events by kind, how long applying takes', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  t.equal(await gateway.said((await jwtOf(service)).access_token), '200');
  await rotate(service);
  const kid = 'gatehouse_feed_events_total{server="main",kind="kid"}';
  t.ok(await eventually(async () => (await gateway.metric(kid)) === 1));
  t.equal(await gateway.metric('gatehouse_feed_connected{server="main"}'), 1);
  t.ok((await gateway.metric('gatehouse_feed_lag_seconds{server="main"}')) < 10);
  t.equal(await gateway.metric('gatehouse_revocations{server="main"}'), 1);
  t.equal(await gateway.metric('gatehouse_revocation_apply_seconds_count{server="main"}'), 1);
});

import t, { type Test } from 'tap';
import { basic, shop } from '../authorization/running-service.ts';
import { jwtOf, rotate, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { cuttable } from '../support/cuttable.ts';
import { settableClock } from '../support/settable-clock.ts';
import { witness } from '../support/witness.ts';
import { eventually, type Followed, follow, isInStep, timeUntil } from './revoked.ts';

/** Opens services: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const MINUTE = 61_000;
const OUT = '503 authorization_server_unavailable';
const LOCAL = { verify: 'jwt' };

async function bench(t: Test, changes: object = {}) {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const way = await cuttable(t, service.url);
  const clock = settableClock();
  const gateway = await follow(t, upstream, service, {
    changes: { events: `${way.url}/oauth2/events`, ...changes },
    clock,
  });
  return { upstream, service, way, clock, gateway };
}

const isStale = (gateway: Followed) =>
  eventually(async () => (await gateway.metric('gatehouse_feed_stale{server="main"')) === 1);

t.test('on_stale: introspect: JWTs are introspected, revoked ones are refused and the others pass', async (t) => {
  const { service, way, clock, gateway } = await bench(t);
  const [revoked, sound] = [(await jwtOf(service)).access_token, (await jwtOf(service, 'bob')).access_token];
  t.same([await gateway.said(revoked), await gateway.said(sound)], ['200', '200']);
  way.cut();
  await rotate(service);
  t.equal(await gateway.said(revoked), '200', 'what the gateway was not told, until max_staleness');
  t.equal(await gateway.metric('gatehouse_introspections{server="main"}'), 0);
  clock.advance(MINUTE);
  t.ok(await isStale(gateway));
  t.match(await gateway.said(revoked), /^401 token_/);
  t.equal(await gateway.said(sound), '200');
  const asked = await gateway.metric('gatehouse_introspections{server="main"}');
  t.ok(asked >= 1);
  t.equal(await gateway.said(sound), '200');
  t.equal(await gateway.metric('gatehouse_introspections{server="main"}'), asked, 'an answer serves as any other does');
  way.mend();
  t.ok((await timeUntil(gateway, revoked, '401 token_revoked', 20_000)) < 20_000, 'the feed tells what was missed');
  t.ok(await isInStep(gateway));
});

t.test('on_stale: introspect: if introspection fails too, the answer is an outage and nothing passes', async (t) => {
  const { service, way, clock, gateway } = await bench(t);
  const token = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(token), '200');
  way.cut();
  await service.stop();
  clock.advance(MINUTE);
  t.equal(await gateway.said(token), OUT);
});

t.test(
  'on_stale: deny: 503 for JWTs that are verified locally, 401 for invalid ones, and opaque tokens are introspected',
  async (t) => {
    const { service, way, clock, gateway } = await bench(t, { on_stale: 'deny' });
    const [token, opaque] = [(await jwtOf(service)).access_token, await service.token()];
    t.same([await gateway.said(token), await gateway.said(opaque)], ['200', '200']);
    way.cut();
    clock.advance(MINUTE);
    t.equal(await gateway.said(token), OUT, 'cached');
    t.equal(await gateway.said((await jwtOf(service, 'bob')).access_token), OUT, 'not cached');
    const refused = await gateway.get(token);
    t.ok(Number(refused.header('retry-after')) > 0);
    t.equal(refused.header('www-authenticate'), undefined);
    t.equal(await gateway.said(`${token.slice(0, -8)}AAAAAAAA`), '401 token_signature');
    await service.post('/oauth2/revoke', { token: opaque }, basic(shop));
    t.equal(await gateway.said(opaque), '401 token_inactive', 'what was cached before is asked anew');
    way.mend();
    t.ok((await timeUntil(gateway, token, '200', 20_000)) < 20_000);
  },
);

t.test('on_stale: allow: JWTs pass, revoked ones too, until the feed is back', async (t) => {
  const { service, way, clock, gateway } = await bench(t, { on_stale: 'allow', ...LOCAL });
  const token = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(token), '200');
  way.cut();
  clock.advance(MINUTE);
  t.ok(await isStale(gateway));
  t.equal(await gateway.said(token), '200');
  way.mend();
  await rotate(service);
  t.ok((await timeUntil(gateway, token, '401 token_revoked', 20_000)) < 20_000);
});

t.test('a gateway that was never up to date counts as stale', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const way = await cuttable(t, service.url);
  way.cut();
  const changes = { events: `${way.url}/oauth2/events`, on_stale: 'deny' };
  const gateway = await follow(t, upstream, service, { changes, inStep: false });
  const token = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(token), OUT);
  way.mend();
  t.ok((await timeUntil(gateway, token, '200', 20_000)) < 20_000);
});

t.test('a silent connection is dead after three missing comments', async (t) => {
  const { service, way, gateway } = await bench(t);
  const token = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(token), '200');
  way.freeze();
  await rotate(service);
  t.ok(await eventually(async () => (await gateway.metric('gatehouse_feed_connected{server="main"}')) === 0, 20_000));
  way.mend();
  t.ok((await timeUntil(gateway, token, '401 token_revoked', 20_000)) < 20_000);
});

t.test('a gateway whose client may not read the feed logs it once, and is stale', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const changes = { client_id: shop.id, client_secret: shop.secret, on_stale: 'deny' };
  const gateway = await follow(t, upstream, service, { changes, inStep: false });
  const said = () => gateway.log.filter(({ msg }) => String(msg).startsWith('cannot follow the revocation feed'));
  t.ok(await eventually(async () => said().length > 0));
  t.match(said()[0], { level: 50, server: 'main', detail: /status 403: this gateway's client may not read the feed/ });
  t.equal(await gateway.said((await jwtOf(service)).access_token), OUT);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  t.equal(said().length, 1);
});

import { decodeJwt } from 'jose';
import t from 'tap';
import { run, shop } from '../authorization/running-service.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { witness } from '../support/witness.ts';
import { eventually, follow } from './revoked.ts';

const MISSED = 10_000;
const shopJwt = { id: 'shop-jwt', secret: shop.secret };

t.test(
  '10,000 revocations that were missed during a restart of the service are delivered, and each takes effect',
  async (t) => {
    const directory = temporaryFolder(t);
    const listen = { host: '127.0.0.1', port: await freePort() };
    const start = () => run(t, { directory, config: { listen } });
    const before = await start();
    const gateway = await follow(t, await witness(t), before);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => before.token({}, shopJwt)));
    const sound = await before.token({}, shopJwt);
    for (const token of [...tokens, sound]) t.equal(await gateway.said(token), '200');
    await before.stop();
    // Another process of the service keeps revoking while this gateway gets nothing.
    const { service, stop } = await run(t, { directory });
    const now = Math.floor(Date.now() / 1000);
    const jtis = tokens.map((token) => String(decodeJwt(token).jti));
    const all = [...Array.from({ length: MISSED - jtis.length }, () => crypto.randomUUID()), ...jtis];
    await Promise.all(all.map((jti) => service.records.denyJwt(jti, now + 900, now)));
    await stop();
    await start();
    const events = 'gatehouse_feed_events_total{server="main",kind="jti"}';
    t.ok(await eventually(async () => (await gateway.metric(events)) === MISSED, 60_000));
    for (const token of tokens) t.equal(await gateway.said(token), '401 token_revoked');
    t.equal(await gateway.said(sound), '200');
    t.equal(await gateway.metric('gatehouse_revocations{server="main"}'), MISSED);
    t.equal(await gateway.metric('gatehouse_feed_events_total{server="main",kind="reset"}'), 0);
  },
);

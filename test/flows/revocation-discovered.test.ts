import t, { type Test } from 'tap';
import { gateway as follower, run } from '../authorization/running-service.ts';
import { jwtOf, rotate, userKeys, withClient } from '../authorization/user-key-flow.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { witness } from '../support/witness.ts';
import { asked, eventually, isInStep, refusedWithinASecond } from './revoked.ts';

t.setTimeout(600_000);

/** The service says everything in its metadata; the gateway knows its issuer and a client. */
async function bench(t: Test, clients?: ReturnType<typeof withClient>) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const listen = { host: '127.0.0.1', port };
  const service = await run(t, { config: { ...userKeys, issuer, listen, ...(clients && { clients }) } });
  const main = { issuer, client_id: follower.id, client_secret: follower.secret, on_stale: 'deny' };
  const servers = { main: { ...main, audience: 'https://api.example.com' } };
  const file = { authorization_servers: servers, admin: '127.0.0.1:0', development: true };
  const running = asked(await gateway(t, behind((await witness(t)).url, file)));
  return { service, running };
}

t.test('a feed that the metadata names is followed, and keys of users are found by it', async (t) => {
  const { service, running } = await bench(t);
  t.ok(await isInStep(running));
  await refusedWithinASecond(t, [running], async () => {
    const token = (await jwtOf(service)).access_token;
    t.equal(await running.said(token), '200');
    await rotate(service);
    return token;
  });
});

t.test(
  'a feed that nobody configured and that is closed to this client is none: nothing counts as stale',
  async (t) => {
    const clients = withClient('gateway', { events: false }).map((client) =>
      client.client_id === 'other' ? { ...client, events: true } : client,
    );
    const { service, running } = await bench(t, clients);
    const token = (await jwtOf(service)).access_token;
    t.ok(await eventually(async () => (await running.said(token)) === '200'));
    t.ok(Number.isNaN(await running.metric('gatehouse_feed_stale{server="main"')));
  },
);

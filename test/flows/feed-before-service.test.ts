import t, { type Test } from 'tap';
import { basic, gateway as follower, run } from '../authorization/running-service.ts';
import { jwtOf, userKeys, webJwt } from '../authorization/user-key-flow.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { witness } from '../support/witness.ts';
import { asked, eventually, isInStep } from './revoked.ts';

/** Starts the gateway while nothing answers at the issuer. `open` starts the service there. */
async function bench(t: Test, changes: object = {}) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const main = { issuer, client_id: follower.id, client_secret: follower.secret, audience: 'https://api.example.com' };
  const file = {
    authorization_servers: { main: { ...main, ...changes } },
    admin: '127.0.0.1:0',
    development: true,
  };
  const running = asked(await gateway(t, behind((await witness(t)).url, file)));
  const open = () => run(t, { config: { ...userKeys, issuer, listen: { host: '127.0.0.1', port } } });
  return { running, open };
}

t.test('a gateway that starts before the service refuses revoked JWTs from the first request', async (t) => {
  const { running, open } = await bench(t);
  const service = await open();
  const [revoked, valid] = [(await jwtOf(service)).access_token, (await jwtOf(service, 'bob')).access_token];
  t.equal((await service.post('/oauth2/revoke', { token: revoked }, basic(webJwt))).status, 200);
  const answer = () => running.said(revoked);
  t.ok(await eventually(async () => (await answer()) !== '503 authorization_server_unavailable'));
  t.match(await answer(), /^401 token_/);
  t.equal(await running.said(valid), '200');
  t.ok(await isInStep(running), 'the gateway finds the feed without a wait of a minute');
});

t.test('while the metadata cannot be fetched, the feed counts as lost, and one line of the log says so', async (t) => {
  const { running, open } = await bench(t, { on_stale: 'deny' });
  t.equal(await running.metric('gatehouse_feed_connected{server="main"'), 0);
  t.equal(await running.metric('gatehouse_feed_stale{server="main"'), 1);
  const lines = running.log.filter(({ msg }) => /revocation feed/.test(String(msg)));
  t.match(lines, [
    { level: 40, server: 'main', detail: /^metadata: ECONNREFUSED/, msg: 'cannot follow the revocation feed' },
  ]);
  t.equal(lines.length, 1);
  const service = await open();
  t.ok(await isInStep(running));
  t.equal(await running.said((await jwtOf(service)).access_token), '200');
});

import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { sha256 } from '../../src/base/secret.ts';
import { endpoint, json } from '../support/endpoint.ts';
import { behind, gateway } from '../support/gateway.ts';
import { reloadable } from '../support/reloadable.ts';
import { stream } from '../support/scripted-feed.ts';
import { active, authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { type Asked, asked, eventually, isInStep } from './revoked.ts';

/** A feed whose events the test writes. */
async function spokenFeed(t: Test) {
  const followers = new Set<ServerResponse>();
  const told: string[] = [];
  const server = await endpoint(t, (_request, response) => {
    followers.add(response);
    response.on('close', () => followers.delete(response));
    response.writeHead(200, stream).write(`${told.join('')}:\n\n`);
  });
  const beat = setInterval(() => followers.forEach((each) => void each.write(':\n\n')), 1_000);
  t.teardown(() => clearInterval(beat));
  return {
    url: `${server.url}/events`,
    followers,
    connections: () => server.calls.length,
    say(kind: string, data: object) {
      told.push(`id: ${told.length + 1}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
      for (const each of followers) each.write(`${told.at(-1)}:\n\n`);
    },
  };
}

const later = () => Math.floor(Date.now() / 1000) + 300;
const hashOf = (token: string) => sha256(token).toString('base64url');

/** Once, and it is active. */
const hasHeard = (running: Pick<Asked, 'metric'>, kind: string) =>
  eventually(async () => (await running.metric(`gatehouse_feed_events_total{server="main",kind="${kind}"}`)) === 1);

async function bench(t: Test) {
  const [upstream, feed] = [await witness(t), await spokenFeed(t)];
  const server = await authorizationServer(t, { changes: { events: feed.url } });
  const file = behind(upstream.url, { authorization_servers: server.config, admin: '127.0.0.1:0' });
  return { feed, file, ...server };
}

t.test('an answer that was requested before a revocation, and arrives after it, does not count', async (t) => {
  const { feed, file, introspection, tokens } = await bench(t);
  const running = asked(await gateway(t, file));
  t.ok(await isInStep(running));
  for (const [kind, key] of [
    ['token_hash', hashOf('of-token_hash')],
    ['gid', 'g1'],
  ] as const) {
    const held: (() => void)[] = [];
    introspection.misbehave((_request, response) =>
      held.push(() => json(response, active('orders.read', { gid: 'g1' }))),
    );
    const said = running.said(`of-${kind}`);
    t.ok(await until(() => held.length === 1));
    feed.say(kind, { key, until: later() });
    t.ok(await hasHeard(running, kind));
    held[0]?.();
    t.equal(await said, '401 token_revoked', kind);
    introspection.recover();
    tokens.set(`of-${kind}`, active('orders.read', { gid: 'g1' }));
    t.equal(await running.said(`of-${kind}`), '401 token_revoked', 'nor is it cached as active');
  }
});

t.test('a reset drops cached answers and answers on their way: both are requested again', async (t) => {
  const { feed, file, introspection, tokens } = await bench(t);
  const running = asked(await gateway(t, file));
  t.ok(await isInStep(running));
  tokens.set('cached', active('orders.read'));
  t.equal(await running.said('cached'), '200');
  const held: (() => void)[] = [];
  introspection.misbehave((_request, response) => held.push(() => json(response, active('orders.read'))));
  const first = running.said('flying');
  t.ok(await until(() => held.length === 1));
  feed.say('reset', { key: 'cursor_too_old', until: 0 });
  t.ok(await hasHeard(running, 'reset'));
  introspection.recover();
  const second = running.said('flying');
  held[0]?.();
  t.same([await first, await second], ['401 token_inactive', '401 token_inactive']);
  tokens.set('cached', { active: false });
  t.equal(await running.said('cached'), '401 token_inactive');
});

t.test('a reload keeps revocations if the block is the same, and reads them again if it is another', async (t) => {
  const { feed, file, config } = await bench(t);
  const running = await reloadable(t, file);
  const each = asked(running as never);
  t.ok(await isInStep(each));
  const [token, other] = [await jwt({ scope: 'orders.read', jti: 'j1' }), await jwt({ scope: 'orders.read' })];
  t.same([await each.said(token), await each.said(other)], ['200', '200']);
  feed.say('jti', { key: 'j1', until: later() });
  t.ok(await hasHeard(each, 'jti'));
  let going = true;
  const seen: string[] = [];
  const asking = (async () => {
    while (going) seen.push(await each.said(token), await each.said(other));
  })();
  t.match(await running.take({ ...file, realm: 'other' }), { ok: true });
  t.equal(feed.connections(), 1, 'the same follower');
  const changed = { main: { ...config.main, max_staleness: '40s', on_stale: 'deny' } };
  t.match(await running.take({ ...file, authorization_servers: changed }), { ok: true });
  t.equal(feed.connections(), 2, 'a follower of its own');
  t.ok(await until(() => feed.followers.size === 1), 'the one before has ended');
  going = false;
  await asking;
  t.strictSame([...new Set(seen)].sort(), ['200', '401 token_revoked']);
  t.ok(seen.every((said, index) => said === (index % 2 === 0 ? '401 token_revoked' : '200')));
});

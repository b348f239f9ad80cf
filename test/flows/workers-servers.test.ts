import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { json } from '../support/endpoint.ts';
import { behind } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { signingKey } from '../support/keys.ts';
import type { RawClient } from '../support/raw-client.ts';
import { active, authorizationServer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { eventually } from './revoked.ts';
import { all, every, oneEach, said } from './worker-clients.ts';

/** Starts programs, and opens services: 32 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

/** A token with an unknown key. */
const kid = (name: string) => jwt({ scope: 'orders.read' }, { header: { kid: name } });

t.test('four workers fetch the keys once, and once more for a key that is new to all of them', async (t) => {
  const server = await authorizationServer(t, { changes: { jwks: { cooldown: '3s' } } });
  const began = performance.now();
  const served = await group(t, behind((await witness(t)).url, { authorization_servers: server.config }));
  const clients = await oneEach(t, served);
  t.equal(clients.length, 4);
  const token = await jwt({ scope: 'orders.read' });
  t.strictSame(await all(clients, token), every('200'));
  t.equal(server.keys.calls.length, 1, 'at the start');
  await pause(3_200);
  const age = await served.metric('gatehouse_jwks_age_seconds');
  t.ok(age > 0 && age <= (performance.now() - began) / 1000, `they are ${age} s old, and not that in each worker`);
  const unknown = await kid('new');
  t.strictSame(await all(clients, unknown), every('401 token_signature'));
  t.equal(server.keys.calls.length, 2, 'for the new key');
  const [pid = 0] = served.pids();
  process.kill(pid, 'SIGKILL');
  t.ok(await served.serves(4));
  t.strictSame(await all(await oneEach(t, served), token), every('200'));
  t.ok(server.keys.calls.length <= 3, `${server.keys.calls.length} with a worker that came later`);
});

t.test('every worker finds a new key after one fetch, even after searches for unknown keys', async (t) => {
  const server = await authorizationServer(t, { changes: { jwks: { cooldown: '5s' } } });
  const served = await group(t, behind((await witness(t)).url, { authorization_servers: server.config }));
  const clients = await oneEach(t, served);
  const token = await jwt({ scope: 'orders.read' });
  const { jwk } = await signingKey('ES256');
  server.keys.misbehave((_request, response) => json(response, { keys: [{ ...jwk, kid: 'old' }] }));
  t.ok(await eventually(async () => (await said(clients[0] as RawClient, await kid('x'))) === '401 token_signature'));
  const before = server.keys.calls.length;
  for (const client of clients) t.equal(await said(client, await kid('y')), '401 token_signature');
  t.ok(server.keys.calls.length <= before + 1, `${server.keys.calls.length - before} for a key that nobody has`);
  server.keys.recover();
  await pause(5_200);
  for (const client of clients) t.equal(await said(client, token), '200');
  t.ok(server.keys.calls.length <= before + 3);
});

t.test('a token that arrives at four workers at once is introspected once', async (t) => {
  const server = await authorizationServer(t, { changes: { verify: 'introspection' } });
  server.tokens.set('opaque-1', active('orders.read'));
  const served = await group(t, behind((await witness(t)).url, { authorization_servers: server.config }));
  const clients = await oneEach(t, served);
  server.introspection.misbehave((_request, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(active('orders.read')));
    }, 2_000);
  });
  t.strictSame(await all(clients, 'opaque-1'), every('200'));
  t.equal(server.introspection.calls.length, 1);
});

t.test('an authorization server that is down is an outage in every worker, never a refusal', async (t) => {
  const server = await authorizationServer(t, { changes: { verify: 'introspection' } });
  const served = await group(t, behind((await witness(t)).url, { authorization_servers: server.config }));
  const clients = await oneEach(t, served);
  await server.introspection.down();
  t.strictSame(await all(clients, 'opaque-2'), every('503 authorization_server_unavailable'));
});

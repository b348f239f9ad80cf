import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { systemClock } from '../../../../src/base/clock.ts';
import { CannotListen, listen, requireFree } from '../../../../src/base/listen.ts';
import { Stalls } from '../../../../src/gateway/client/stalls.ts';
import { listenInQueues } from '../../../../src/gateway/listener/http1/accept-queues.ts';
import { FrontedServer } from '../../../../src/gateway/listener/http1/front.ts';
import { behind, gateway } from '../../../support/gateway.ts';
import { exchange, open } from '../../../support/raw-client.ts';
import { requestText } from '../../../support/request-text.ts';
import { until } from '../../../support/until.ts';
import { witness } from '../../../support/witness.ts';
import { echo } from './fronted.ts';

const CLIENTS = 64;
const place = { host: '127.0.0.1', port: 0 };
const request = requestText({ target: '/public/a' });
const ours = { listener: 'auto' } as const;
const options = { skip: process.platform !== 'linux' && 'only Linux has several sockets at one address' };

function fronted(t: Test): FastifyInstance {
  const stalls = new Stalls(systemClock, 1000);
  t.teardown(() => stalls.close());
  const serving = { reads: 'lent', clock: systemClock, stalls, handle: echo } as const;
  return Fastify({ serverFactory: (listener) => new FrontedServer({}, listener, serving) });
}

/** Connects all clients while this thread stands still, and counts the turns of the event loop until it has them. */
async function turnsFor(t: Test, app: FastifyInstance): Promise<number> {
  let accepted = 0;
  app.server.on('connection', () => accepted++);
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = app.server.address() as AddressInfo;
  const clients = new Worker(
    `const { workerData: { port, count, connected } } = require('node:worker_threads');
     for (let i = 0; i < count; i++)
       require('node:net').connect(port, '127.0.0.1').on('error', () => {}).once('connect', () => {
         if (Atomics.add(connected, 0, 1) + 1 === count) Atomics.notify(connected, 0);
       });`,
    { eval: true, workerData: { port, count: CLIENTS, connected } },
  );
  t.teardown(() => clients.terminate());
  await new Promise((online) => clients.once('online', online));
  for (let before = 0; before < CLIENTS; before = Atomics.load(connected, 0)) {
    if (Atomics.wait(connected, 0, before, 10_000) === 'timed-out') throw new Error('the clients do not connect');
  }
  let turns = 0;
  for (; accepted < CLIENTS && turns < 1000; turns++) await turn();
  t.equal(accepted, CLIENTS);
  return turns;
}

t.test('of clients that connect at once, several are accepted in each turn of the event loop', options, async (t) => {
  const [one, several] = [fronted(t), fronted(t)];
  await listen(one, place);
  const { queues } = await listenInQueues(several, place, 'listen');
  t.teardown(() => Promise.all([one.close(), several.close(), ...queues.map(({ server }) => server.close())]));
  const [alone, together] = [await turnsFor(t, one), await turnsFor(t, several)];
  t.ok(alone >= CLIENTS, `${alone} turns with one socket`);
  // The system chooses the socket by a hash of the addresses. No socket gets half of 64 clients.
  t.ok(together < CLIENTS / 2, `${together} turns with several sockets`);
});

t.test('another gateway cannot listen where several sockets do, and can after the stop', options, async (t) => {
  const { url, port, stop } = await gateway(t, { ...behind('http://127.0.0.1:9'), ...ours });
  await t.rejects(gateway(t, { ...behind('http://127.0.0.1:9'), ...ours, listen: new URL(url).host }), {
    message: /is taken \(`listen`\)/,
  });
  await t.rejects(requireFree({ host: '127.0.0.1', port }), CannotListen);
  await stop();
  await t.resolves(requireFree({ host: '127.0.0.1', port }));
});

t.test('the limit of connections counts the connections of all sockets', options, async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, { ...behind(upstream.url, { limits: { connections: 5 } }), ...ours });
  const clients = await Promise.all(Array.from({ length: 40 }, () => open(t, port)));
  for (const client of clients) client.send(request);
  const answers = await Promise.all(clients.map((client) => client.read()));
  t.equal(answers.filter((answer) => answer?.status === 200).length, 5);
  for (const client of clients) client.destroy();
  t.ok(await until(async () => (await exchange(port, request))?.status === 200), 'then there is room again');
});

t.test('a stop waits for the answers to clients of all sockets', options, async (t) => {
  const upstream = await witness(t);
  const held: (() => void)[] = [];
  upstream.behave((_request, response) => void held.push(() => response.end('ok')));
  const { port, stop } = await gateway(t, { ...behind(upstream.url), ...ours });
  const clients = await Promise.all(Array.from({ length: 40 }, () => open(t, port)));
  for (const client of clients) client.send(request);
  t.ok(await until(() => held.length === clients.length));
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  const isFree = () =>
    requireFree({ host: '127.0.0.1', port }).then(
      () => true,
      () => false,
    );
  t.ok(await until(isFree), 'no socket listens');
  t.notOk(stopped);
  for (const answer of held) answer();
  const answers = await Promise.all(clients.map((client) => client.read()));
  t.strictSame([...new Set(answers.map((answer) => answer?.status))], [200]);
  await stopping;
});

import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { ConnectionTarget } from '../../src/supervisor/connection-dispatcher.ts';
import { type ListeningSockets, openListeningSockets } from '../../src/supervisor/listening-sockets.ts';
import { connectTo } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

/** Starts processes that share a listener: 8 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

async function door(t: Test, most = 100, room?: number): Promise<ListeningSockets> {
  const opened = await openListeningSockets(
    { host: '127.0.0.1', port: 0 },
    { most: () => most, ...(room !== undefined && { room }) },
  );
  t.teardown(() => opened.close());
  return opened;
}

/** A worker that accepts each connection immediately, unless it hangs. */
function taker({ join }: ListeningSockets, hangs = false) {
  const taken: Socket[] = [];
  const place: ConnectionTarget = join((socket) => {
    taken.push(socket);
    if (!hangs) setImmediate(() => place.took());
  });
  return { taken, place };
}

async function connections(t: Test, { port }: ListeningSockets, count: number) {
  const clients = await Promise.all(Array.from({ length: count }, () => connectTo(port)));
  t.teardown(() => {
    for (const client of clients) client.destroy();
  });
  return clients;
}

t.test('each connection goes to the worker with the fewest, even if several arrive at once', async (t) => {
  const opened = await door(t);
  const workers = [taker(opened), taker(opened), taker(opened)];
  await connections(t, opened, 30);
  t.ok(await until(() => workers.every(({ taken }) => taken.length === 10)));
  workers[1]?.place.closed(6);
  await connections(t, opened, 6);
  t.ok(await until(() => workers[1]?.taken.length === 16));
});

t.test('a connection that arrives while there is no worker waits for the first', async (t) => {
  const opened = await door(t);
  const clients = await connections(t, opened, 3);
  t.ok(clients.every(({ closed }) => !closed));
  const worker = taker(opened);
  t.ok(await until(() => worker.taken.length === 3));
});

t.test('a worker that does not accept its connection gets no other', async (t) => {
  const opened = await door(t);
  const [hung, other] = [taker(opened, true), taker(opened)];
  await connections(t, opened, 10);
  t.ok(await until(() => other.taken.length === 9));
  t.equal(hung.taken.length, 1);
});

t.test('a connection on its way to a worker that has ended is closed immediately', async (t) => {
  const opened = await door(t);
  const hung = taker(opened, true);
  const [client] = await connections(t, opened, 1);
  t.ok(await until(() => hung.taken.length === 1));
  hung.place.leave();
  t.ok(await until(() => client?.closed === true));
});

t.test('a connection that could not be handed to one worker goes to another', async (t) => {
  const opened = await door(t);
  opened.join((_socket, failed) => setImmediate(failed));
  await connections(t, opened, 2);
  const worker = taker(opened);
  t.ok(await until(() => worker.taken.length === 2));
});

t.test(
  'above the limit of open connections the next is refused immediately, and a closed one frees room',
  async (t) => {
    const opened = await door(t, 2);
    const worker = taker(opened);
    await connections(t, opened, 2);
    t.ok(await until(() => worker.taken.length === 2));
    const [third] = await connections(t, opened, 1);
    t.ok(await until(() => third?.closed === true));
    worker.place.closed(1);
    await connections(t, opened, 1);
    t.ok(await until(() => worker.taken.length === 3));
  },
);

t.test(
  'no worker gets more connections than it has files for, and no more wait than the primary has files for',
  async (t) => {
    const opened = await door(t, 100, 2);
    const waiting = await connections(t, opened, 3);
    t.ok(await until(() => waiting[2]?.closed === true));
    const workers = [taker(opened), taker(opened)];
    t.ok(await until(() => workers.every(({ taken }) => taken.length === 1)));
    const more = await connections(t, opened, 3);
    t.ok(await until(() => more[2]?.closed === true));
    t.strictSame(
      workers.map(({ taken }) => taken.length),
      [2, 2],
    );
  },
);

t.test('a connection that got lost on its way is given up, and its worker gets the next', async (t) => {
  const opened = await door(t);
  const loses = taker(opened, true);
  const clients = await connections(t, opened, 2);
  t.ok(await until(() => loses.taken.length === 2, 30_000));
  t.ok(await until(() => clients.some(({ closed }) => closed)));
});

t.test('an address in use is reported in words', async (t) => {
  const opened = await door(t);
  await t.rejects(openListeningSockets({ host: '127.0.0.1', port: opened.port }, { most: () => 1 }), {
    message: /is taken/,
  });
});

t.test('localhost is every loopback address', async (t) => {
  const opened = await openListeningSockets({ host: 'localhost', port: 0 }, { most: () => 10 });
  t.teardown(() => opened.close());
  const worker = taker(opened);
  await connections(t, opened, 1);
  t.ok(await until(() => worker.taken.length === 1));
});

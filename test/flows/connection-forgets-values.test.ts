import t from 'tap';
import { heapSnapshots } from '../support/heap-snapshot.ts';
import { connectTo } from '../support/raw-client.ts';
import { answerText, rawUpstream } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { onePath, servedFile, writeIn } from '../support/served-file.ts';

/** Writes a snapshot of a heap: 10 s on a busy machine. */
t.setTimeout(60_000);

t.test('a connection that remembers its last header section keeps no earlier value of a field', async (t) => {
  const { promise: held, resolve: arrived } = Promise.withResolvers<void>();
  const { url } = await rawUpstream(t, ({ socket, received }) => {
    if (received.includes('GET /held ')) arrived();
    else socket.write(answerText('a'));
  });
  const snapshots = heapSnapshots(t);
  const served = await servedFile(
    t,
    (directory, listeners) => writeIn(directory, 'gateway.yaml', listeners + onePath(url, '"/{path*}"')),
    snapshots.flags,
  );
  const client = await connectTo(served.port);
  t.teardown(() => client.destroy());
  const canary = (round: number) => `canary-${'abcdefghijklmno'[round]}-5b1f7a2c`;
  /** The rounds in which each field gets its value. */
  const send = (target: string, key: number, credential: number, session: number) => {
    const headers = [
      ['User-Agent', 'an agent with a long name'],
      ['X-Key', `key-${canary(key)}`],
      ['Authorization', `Bearer token-${canary(credential)}`],
      ['Cookie', `session-${canary(session)}`],
    ] as const;
    client.send(requestText({ target, headers }));
  };
  const answered = async (status: number, ...sent: Parameters<typeof send>) => {
    send(...sent);
    t.equal((await client.read())?.status, status);
  };
  for (let again = 0; again < 2; again++) await answered(200, '/a', 0, 0, 0);
  for (let round = 1; round < 4; round++) await answered(200, '/a', round, 0, 0);
  for (let round = 4; round < 7; round++) await answered(200, '/a', 3, round, 0);
  for (let round = 7; round < 10; round++) await answered(200, '/a', round, round, round);
  // The upstream gets none of these.
  for (let round = 10; round < 12; round++) await answered(400, '/b%zz', 9, round, 9);
  for (let round = 12; round < 14; round++) await answered(400, '/b%zz', round, round, round);
  send('/held', 14, 14, 14);
  // The request has no answer, so the connection still has its section.
  await held;
  const heap = await snapshots.of(served.process.pid as number);
  for (let round = 0; round < 14; round++) t.notOk(heap.includes(canary(round)), canary(round));
  t.ok(heap.includes(canary(14)), 'the heap has the values of the last request');
});

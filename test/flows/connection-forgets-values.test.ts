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
  const canary = (round: number) => `canary-${'abcdefghij'[round]}-5b1f7a2c`;
  const send = (target: string, round: number) => {
    const value = canary(round);
    const headers = [
      ['X-Same', 'the same'],
      ['X-Key', `key-${value}`],
      ['Authorization', `Bearer token-${value}`],
      ['Cookie', round < 5 ? 'a=1' : `session-${value}`],
    ] as const;
    client.send(requestText({ target, headers }));
  };
  for (let round = 0; round < 9; round++) {
    send('/a', round);
    t.equal((await client.read())?.status, 200);
  }
  send('/held', 9);
  // The request has no answer, so the connection still has its section.
  await held;
  const heap = await snapshots.of(served.process.pid as number);
  for (let round = 0; round < 9; round++) t.notOk(heap.includes(canary(round)), canary(round));
  t.ok(heap.includes(canary(9)), 'the heap has the values of the last request');
});

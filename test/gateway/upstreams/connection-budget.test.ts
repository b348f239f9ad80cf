import { Socket } from 'node:net';
import t from 'tap';
import { connectionBudget, countedUntilClosed } from '../../../src/gateway/upstreams/connection-budget.ts';

t.test('there is room for a fixed number, and for another one when one is returned', async (t) => {
  const room = connectionBudget(2);
  t.strictSame([room.take(), room.take(), room.take()], [true, true, false]);
  room.give();
  t.strictSame([room.take(), room.take()], [true, false]);
});

t.test('an owner with a spare connection closes it, and is asked only if there is no room', async (t) => {
  const room = connectionBudget(1);
  let [spare, asked] = [1, 0];
  const tenant = {
    letGo() {
      asked++;
      return spare-- > 0;
    },
  };
  const leave = room.join(tenant);
  t.equal(room.take(), true);
  t.equal(asked, 0);
  t.strictSame([room.take(), room.take()], [true, false]);
  t.equal(asked, 2);
  leave();
  t.equal(room.take(), false);
  t.equal(asked, 2, 'one that has left is asked no more');
});

t.test('a connection counts until its socket is closed, even if it never opened', async (t) => {
  const room = connectionBudget(1);
  t.ok(room.take());
  const socket = countedUntilClosed(room, () => new Socket());
  t.notOk(room.take());
  socket.destroy();
  await new Promise((closed) => socket.once('close', closed));
  t.ok(room.take());
  t.throws(() =>
    countedUntilClosed(room, () => {
      throw new Error('a broken certificate');
    }),
  );
  t.ok(room.take());
});

t.test('without a limit there is always room', async (t) => {
  const room = connectionBudget(Number.POSITIVE_INFINITY);
  for (let count = 0; count < 1_000; count++) t.ok(room.take());
});

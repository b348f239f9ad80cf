import { Socket } from 'node:net';
import t from 'tap';
import { connectionBudget, countedUntilClosed } from '../../../src/gateway/upstreams/connection-budget.ts';

t.test('there is room for so many, and for another one when one is given back', async (t) => {
  const room = connectionBudget(2);
  t.strictSame([room.take(), room.take(), room.take()], [true, true, false]);
  room.give();
  t.strictSame([room.take(), room.take()], [true, false]);
});

t.test('whoever has one to spare lets it go, and is asked only where there is no room', async (t) => {
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

t.test('a connection counts until its socket is closed, also where it never opened', async (t) => {
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

t.test('without a limit there is room for everybody', async (t) => {
  const room = connectionBudget(Number.POSITIVE_INFINITY);
  for (let count = 0; count < 1_000; count++) t.ok(room.take());
});

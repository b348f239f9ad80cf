import { Socket } from 'node:net';
import t from 'tap';
import { countedUntilClosed, openRoom, type Share } from '../../../src/gateway/upstreams/room.ts';

t.test('there is room for so many, and for another one when one is given back', async (t) => {
  const room = openRoom(2).share();
  t.strictSame([room.take(), room.take(), room.take()], [true, true, false]);
  room.give();
  t.strictSame([room.take(), room.take()], [true, false]);
});

t.test('whoever has one to spare lets it go, and is asked only where there is no room', async (t) => {
  const room = openRoom(1).share();
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
  const room = openRoom(1).share();
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
  const room = openRoom(Number.POSITIVE_INFINITY).share();
  for (let count = 0; count < 1_000; count++) t.ok(room.take());
});

const tenant = (letGo = () => false) => ({ letGo });
const takeAll = (share: Share) => {
  let count = 0;
  while (share.take()) count++;
  return count;
};

t.test('half of the room is kept in equal parts for those who are in it', async (t) => {
  const room = openRoom(40);
  const shares = [room.share(), room.share(), room.share(), room.share()] as const;
  for (const share of shares) share.join(tenant());
  t.strictSame(shares.map(takeAll), [25, 5, 5, 5]);
});

t.test('what is kept for one is not let go for another, and what it has above that is', async (t) => {
  const room = openRoom(8);
  const [one, other] = [room.share(), room.share()];
  let spare = 6;
  one.join(tenant(() => spare-- > 0));
  other.join(tenant());
  t.equal(takeAll(one), 6 + 6, 'each of its own it lets go for another one of its own');
  for (let count = 0; count < 6; count++) one.give();
  spare = 6;
  t.equal(other.take(), true);
  t.equal(other.take(), true);
  t.equal(spare, 6, 'nobody is asked for what is kept');
  t.equal(other.take(), true);
  t.equal(spare, 5);
});

t.test('where there is not even one for each, whoever comes first has it', async (t) => {
  const room = openRoom(1);
  const [one, other] = [room.share(), room.share()];
  for (const share of [one, other]) share.join(tenant());
  t.strictSame([takeAll(other), takeAll(one)], [1, 0]);
});

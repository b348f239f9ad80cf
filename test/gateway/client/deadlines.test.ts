import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type Deadline, Deadlines } from '../../../src/gateway/client/deadlines.ts';
import { random } from '../../support/random.ts';
import { until } from '../../support/until.ts';

t.test('an entry that is not ended expires once, in order of its beginning and never early', async (t) => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  const early: string[] = [];
  const begin = (name: string, milliseconds: number) => {
    const from = performance.now();
    return deadlines.begin(milliseconds, () => {
      expired.push(name);
      if (performance.now() - from < milliseconds) early.push(name);
    });
  };
  begin('a', 20);
  const b = begin('b', 20);
  begin('c', 20);
  begin('short', 5);
  b.end();
  b.end();
  t.ok(await until(() => expired.length === 3));
  t.strictSame(expired, ['short', 'a', 'c']);
  t.strictSame(early, []);
  begin('d', 20);
  t.ok(await until(() => expired.length === 4), 'a list that was empty goes on');
});

t.test('if any entry ends, the others still expire', async (t) => {
  const deadlines = new Deadlines();
  const dice = random(7);
  const open = new Map<number, Deadline>();
  const expired: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    open.set(
      index,
      deadlines.begin(30, () => expired.push(index)),
    );
    const some = dice.below(index + 1);
    if (dice.chance(0.5)) {
      open.get(some)?.end();
      open.delete(some);
    }
  }
  t.ok(await until(() => expired.length >= open.size));
  await pause(40);
  t.strictSame(expired, [...open.keys()]);
});

t.test('an entry that begins while others expire has its own time', async (t) => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  deadlines.begin(10, () => {
    expired.push('first');
    second.end();
    deadlines.begin(10, () => expired.push('third'));
  });
  const second = deadlines.begin(10, () => expired.push('second'));
  t.ok(await until(() => expired.length === 2));
  t.strictSame(expired, ['first', 'third']);
});

t.test('an entry that begins while others expire does not make the others late', async (t) => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  deadlines.begin(300, () => {
    deadlines.begin(300, () => expired.push('begun'));
    // Timers that are both late still run in the order of their times.
    setTimeout(() => expired.push('200 ms after the first'), 200);
  });
  await pause(100);
  deadlines.begin(300, () => expired.push('100 ms after the first'));
  t.ok(await until(() => expired.length === 3));
  t.strictSame(expired, ['100 ms after the first', '200 ms after the first', 'begun']);
});

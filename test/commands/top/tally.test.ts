import t from 'tap';
import { Tally } from '../../../src/commands/top/tally.ts';

const none = { passed: 0, refused: 0, failed: 0 };
const START = 100_000;
/** Milliseconds: so many seconds after the start. */
const after = (seconds: number) => START + seconds * 1000;

t.test('rates are of the last minute and of the last five complete seconds', async (t) => {
  const tally = new Tally(START);
  for (let second = 0; second < 100; second++)
    tally.add({ gateway: 'g', rows: [], totals: { ...none, passed: second < 95 ? 2 : 12 }, left: 0 }, after(second));
  const { seconds, rates, now, history } = tally.summary(after(100));
  t.equal(seconds, 60);
  t.equal(now.passed, 12);
  t.equal(rates.passed, (54 * 2 + 5 * 12) / 60);
  t.equal(history.length, 60);
  t.strictSame([history[0]?.passed, history[59]?.passed], [2, 12]);
});

t.test('tables forget what is older than a minute, and sort by requests', async (t) => {
  const tally = new Tally(START);
  const add = (route: string, code: string, second: number, count = 1) =>
    tally.add({ gateway: 'g', rows: Array(count).fill({ route, code }), totals: none, left: 3 }, after(second));
  add('old', 'forwarded', 0, 5);
  add('few', 'forwarded', 50);
  add('many', 'scope_insufficient', 60, 2);
  const { routes, codes, described, left } = tally.summary(after(61));
  t.strictSame(routes, [
    { name: 'many', requests: 2, refused: 2, failed: 0 },
    { name: 'few', requests: 1, refused: 0, failed: 0 },
  ]);
  t.strictSame(codes, [{ name: 'scope_insufficient', requests: 2, refused: 2, failed: 0 }]);
  t.strictSame([described, left], [3, 6]);
});

t.test('the newest decisions are first, and limited', async (t) => {
  const tally = new Tally(START);
  const rows = Array.from({ length: 400 }, (_, number) => ({ number }));
  tally.add({ gateway: 'g', rows, totals: none, left: 0 }, START);
  const { newest } = tally.summary(START);
  t.equal(newest.length, 300);
  t.strictSame(newest[0], { gateway: 'g', row: { number: 399 } });
});

t.test('an emptied tally keeps the rates, and no table', async (t) => {
  const tally = new Tally(START);
  tally.add({ gateway: 'g', rows: [{ route: 'a' }], totals: { ...none, passed: 4 }, left: 1 }, START);
  const { rates, routes, newest, described, left } = tally.emptied().summary(after(2));
  t.strictSame([rates.passed, routes, newest, described, left], [2, [], [], 0, 0]);
});

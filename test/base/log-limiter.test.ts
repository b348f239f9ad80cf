import t from 'tap';
import { HOUR, LogLimiter, MOST_LINES } from '../../src/base/log-limiter.ts';
import { settableClock } from '../support/settable-clock.ts';

function scene() {
  const clock = settableClock();
  const leftOut: number[] = [];
  const lines = new LogLimiter(clock, (count) => void leftOut.push(count));
  const due = (names: readonly string[]) => names.filter((name) => lines.isDue(name));
  return { clock, leftOut, due };
}

const names = (count: number, prefix = 'n') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

t.test('the same line is logged again after an hour, and not before', async (t) => {
  const { clock, due } = scene();
  t.strictSame(due(['a', 'a', 'b']), ['a', 'b']);
  clock.advance(HOUR - 1);
  t.strictSame(due(['a', 'c']), ['c']);
  clock.advance(1);
  t.strictSame(due(['a', 'b', 'c']), ['a', 'b'], 'c was told a moment ago');
  clock.advance(HOUR - 1);
  t.strictSame(due(['c']), ['c']);
});

t.test(
  'a limited number of lines is logged in an hour, and then one line with the number of omitted ones',
  async (t) => {
    const { clock, leftOut, due } = scene();
    for (let hour = 0; hour < 3; hour++) {
      t.strictSame(due(names(500, `hour ${hour}: `)), names(MOST_LINES, `hour ${hour}: `));
      t.strictSame(leftOut, Array(hour).fill(500 - MOST_LINES));
      clock.advance(HOUR);
    }
    t.strictSame(due(['new']), ['new']);
    t.strictSame(leftOut, Array(3).fill(500 - MOST_LINES));
    clock.advance(HOUR);
    due(['new']);
    t.equal(leftOut.length, 3, 'where nothing was left out, nothing is said');
  },
);

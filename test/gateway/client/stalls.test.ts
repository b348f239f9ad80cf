import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { Stalls } from '../../../src/gateway/client/stalls.ts';
import { until } from '../../support/until.ts';

const INTERVAL = 400;

t.test(
  'of a thousand stalled entries a fiftieth is checked in one turn, and each about once an interval',
  async (t) => {
    const stalls = new Stalls(systemClock, INTERVAL);
    const looks = new Map<number, number>();
    const turns = new Map<number, number>();
    for (let name = 0; name < 1000; name++)
      stalls.watch({
        check(now) {
          looks.set(name, (looks.get(name) ?? 0) + 1);
          turns.set(now, (turns.get(now) ?? 0) + 1);
        },
      });
    const began = performance.now();
    await until(() => looks.size === 1000 && Math.min(...looks.values()) >= 4);
    const lasted = performance.now() - began;
    stalls.close();
    t.equal(Math.max(...turns.values()), 20);
    t.ok(Math.max(...looks.values()) <= 5, 'nobody twice in one look');
    t.ok(lasted > 3 * INTERVAL, `four looks in ${lasted} ms`);
  },
);

t.test('a removed entry is not checked, and an added one is part of the next check', async (t) => {
  const stalls = new Stalls(systemClock, INTERVAL);
  const seen: string[] = [];
  const late = { check: () => void seen.push('late') };
  const gone = { check: () => void seen.push('gone') };
  stalls.watch({
    check() {
      seen.push('first');
      stalls.forget(gone);
      stalls.watch(late);
    },
  });
  stalls.watch(gone);
  while (!seen.includes('late')) await pause(5);
  stalls.close();
  t.strictSame(seen.slice(0, 3), ['first', 'first', 'late']);
});

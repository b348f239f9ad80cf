import t from 'tap';
import { durationInWords, instantInWords } from '../../src/base/time-in-words.ts';

t.test('a duration is its two largest units', async (t) => {
  const durations: readonly [seconds: number, shown: string][] = [
    [0, '0 s'],
    [0.9, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [61, '1 min 1 s'],
    [6_600, '1 h 50 min'],
    [3_601, '1 h'],
    [86_400, '1 d'],
    [100_000, '1 d 3 h'],
    [-90, '1 min 30 s'],
  ];
  for (const [seconds, shown] of durations) t.equal(durationInWords(seconds), shown);
});

t.test('an instant is written as in RFC 3339, and an instant beyond the calendar is its number', async (t) => {
  t.equal(instantInWords(1_700_000_000.9), '2023-11-14T22:13:20Z');
  t.equal(instantInWords(-1), '1969-12-31T23:59:59Z');
  t.equal(instantInWords(1e300), '1e+300');
  t.equal(instantInWords(Number.NaN), 'NaN');
});

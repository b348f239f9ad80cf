import t from 'tap';
import { percentile } from '../../../../src/gateway/console/health/measures.ts';
import fc, { tries } from '../../../support/properties.ts';

const BOUNDS = [0.001, 0.01, 0.1, 1, Number.POSITIVE_INFINITY];

/** Cumulative counts of durations in seconds. */
function buckets(durations: readonly number[]): ReadonlyMap<number, number> {
  return new Map(BOUNDS.map((bound) => [bound, durations.filter((each) => each <= bound).length]));
}

t.test('a percentile is in the bucket that has it, and only of the requests since the scrape before', async (t) => {
  const before = buckets([0.5, 0.5, 0.5]);
  const after = buckets([0.5, 0.5, 0.5, 0.0005, 0.005, 0.05, 0.05]);
  const rounded = (share: number) => Math.round(percentile(before, after, share) as number);
  t.equal(rounded(0.25), 1);
  t.equal(rounded(0.5), 10);
  t.equal(rounded(1), 100);
  t.equal(percentile(buckets([]), buckets([5]), 0.99), 1000, 'above the last bound, the bound is known');
});

t.test('without a request, there is no percentile', async (t) => {
  t.equal(percentile(buckets([]), buckets([]), 0.5), undefined);
  t.equal(percentile(buckets([0.5]), buckets([0.5]), 0.5), undefined);
  t.equal(percentile(new Map(), new Map(), 0.5), undefined);
});

t.test('the exact value is in the same bucket', async (t) => {
  const durations = fc.array(fc.double({ min: 0.0001, max: 0.99, noNaN: true }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const found = (percentile(buckets([]), buckets(all), share) as number) / 1000;
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(all.length * share) - 1] as number;
      const bucketOf = (value: number) => BOUNDS.findIndex((bound) => value <= bound + 1e-12);
      return bucketOf(found) === bucketOf(exact);
    }),
    tries(500, 50_000),
  );
  t.pass();
});

import t from 'tap';
import { isFullSize } from '../support/long.ts';
import { tries } from '../support/properties.ts';
import { compareSeen, differences } from './engines/differences.ts';
import type { Seen } from './engines/played-case.ts';
import type { Case } from './engines/random-cases.ts';
import { brief, compareRound } from './engines/two-gateways.ts';

// Two gateways with the same configuration before one upstream, each with a different engine. Whatever requests they
// get, in whatever order, their clients and the upstream cannot distinguish them.

/** Some 15,000 requests to each of two gateways: 130 s in .ci/run on a busy machine. */
t.setTimeout(isFullSize ? 2_400_000 : 600_000);

/** At the same time: each has its own gateway, upstream and clock, and mostly waits for time limits. */
const ROUNDS = 4;
const { numRuns } = tries(8, 60);
const start = Number(process.env.GATEHOUSE_SEED ?? 0);

const counts = new Map<string, number>(differences.map(({ name }) => [name, 0]));
const outcomes = new Map<string, number>();

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function judge(_item: Case, theirs: Seen, ours: Seen): string | undefined {
  const compared = compareSeen(theirs, ours);
  count(
    outcomes,
    `${theirs.answer?.line.slice(0, 3) ?? 'none'} ${theirs.requests.length > 0 ? 'forwarded' : (/"code":"(\w+)"/.exec(theirs.answer?.body ?? '')?.[1] ?? 'ours')}`,
  );
  if (compared.kind === 'wrong') return `undici ${brief(compared.undici)}\nown    ${brief(compared.own)}`;
  for (const name of compared.differences) count(counts, name);
  return undefined;
}

// The clock moves by minutes, and no connection may end because of it.
const limits = { limits: { idle: '1h', headers_timeout: '1h' } };
const comparison = { engines: ['undici', 'own'], settings: [limits, limits], judge } as const;

for (let first = start; first < start + numRuns; first += ROUNDS) {
  const seeds = Array.from({ length: Math.min(ROUNDS, start + numRuns - first) }, (_, index) => first + index);
  t.test(
    `neither a client nor the upstream can distinguish the engines: random requests of seeds ${seeds.join(', ')}`,
    (t) => Promise.all(seeds.map((seed) => compareRound(t, seed, comparison))),
  );
}

t.test('every listed difference occurs, and so does every kind of outcome', async (t) => {
  for (const [outcome, times] of [...outcomes].sort(([, a], [, b]) => b - a)) t.comment(`${times} ${outcome}`);
  for (const { name, because } of differences) t.ok((counts.get(name) ?? 0) > 0, `${name}: ${because}`);
  const forwarded = [...outcomes].filter(([outcome]) => outcome.endsWith('forwarded')).map(([, times]) => times);
  const all = [...outcomes.values()].reduce((sum, times) => sum + times, 0);
  t.ok(forwarded.reduce((sum, times) => sum + times, 0) > all / 4, 'a quarter at least reaches the upstream');
  for (const status of ['101', '200', '400', '401', '403', '404', '405', '413', '417', '502'])
    t.ok(
      [...outcomes.keys()].some((outcome) => outcome.startsWith(status)),
      status,
    );
});

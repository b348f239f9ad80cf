import t from 'tap';
import { readPlainHead } from '../../src/gateway/listener/http1/plain-head.ts';
import { isFullSize, isLong } from '../support/long.ts';
import { tries } from '../support/properties.ts';
import type { Random } from '../support/random.ts';
import { masked } from './engines/differences.ts';
import type { Seen } from './engines/played-case.ts';
import type { Case } from './engines/random-cases.ts';
import { brief, compareRound } from './engines/two-gateways.ts';

// Two gateways with the same configuration before one upstream, one with the server of Node.js and one with our own
// listener. Neither their clients nor the upstream can distinguish them.

/** Some 10,000 requests to each of two gateways in .ci/run, and 200,000 in the long form. */
t.setTimeout(isFullSize ? 4_800_000 : 600_000);

const ROUNDS = 4;
const numRuns = isLong ? 800 : tries(8, 40).numRuns;
const start = Number(process.env.GATEHOUSE_SEED ?? 0);

const counts = { served: 0, 'handed over': 0, repeated: 0 };

/**
 * Our listener keeps a connection until a request that it does not read, so each such request is the last of its
 * connection.
 */
function prepare(item: Case, dice: Random): Case {
  if (!isPlain(item) || dice.chance(0.05)) return { ...item, isLast: true };
  return dice.chance(0.5) ? item : { ...item, again: repeats(item, dice) };
}

let otherTarget = '/';

/** The same fields after it, for its own target and for another request's target: cached fields serve both. Some have other values. */
function repeats(item: Case, dice: Random): readonly Case[] {
  const [, method = '', own = '', rest = ''] = /^(\S+) (\S+)(.*)$/s.exec(item.head) ?? [];
  const again = Array.from({ length: 1 + dice.below(4) }, () => {
    counts.repeated++;
    const fields = dice.pick([rest, withCredential(rest, `Bearer ${value(dice)}`), withValues(rest, dice)]);
    return { ...item, head: `${method} ${dice.pick([own, own, otherTarget])}${fields}` };
  });
  otherTarget = own;
  return again;
}

function withCredential(head: string, value: string): string {
  return head.replace(/(\r\nauthorization:)[^\r\n]*/i, (_, begin: string) => `${begin} ${value}`);
}

/** Any line but the first, which is Host, may have another value. */
function withValues(head: string, dice: Random): string {
  const [first = '', host = '', ...lines] = head.split('\r\n');
  const changed = lines.map((line) => (dice.chance(0.7) ? line : line.replace(/:.*/s, () => `: ${value(dice)}`)));
  return [first, host, ...changed].join('\r\n');
}

function value(dice: Random): string {
  return dice.text('ab', 1 + dice.below(3));
}

function isPlain({ head, body }: Case): boolean {
  const bytes = Buffer.from(head + body, 'latin1');
  const read = readPlainHead(bytes, 0, 16 * 1024);
  return typeof read === 'object' && read.end === bytes.length;
}

/** Where the listeners may differ, and why either is right. */
const differences: readonly { readonly because: string; readonly level: (seen: Seen) => Seen }[] = [
  {
    because: 'how much of a body that is too large arrived in one read decides whether the upstream sees its head',
    level: ({ answer, requests }) => ({
      answer,
      requests: answer?.line.startsWith('413 ') ? requests.filter(({ state }) => state !== 'aborted') : requests,
    }),
  },
];

function shown(seen: Seen): string {
  return JSON.stringify(differences.reduce((levelled, { level }) => level(levelled), masked(seen)));
}

function judge(item: Case, first: Seen, second: Seen): string | undefined {
  counts[isPlain(item) ? 'served' : 'handed over']++;
  const [theirs, ours] = [shown(first), shown(second)];
  return theirs === ours ? undefined : `node ${brief(theirs)}\nauto ${brief(ours)}`;
}

// The clock moves by minutes, and no connection may end because of it.
const limits = { limits: { idle: '1h', headers_timeout: '1h' } };
const settings = [
  { ...limits, listener: 'node' },
  { ...limits, listener: 'auto' },
] as const;

for (let first = start; first < start + numRuns; first += ROUNDS) {
  const seeds = Array.from({ length: Math.min(ROUNDS, start + numRuns - first) }, (_, index) => first + index);
  t.test(
    `neither a client nor the upstream can distinguish the listeners: random requests of seeds ${seeds.join(', ')}`,
    (t) =>
      Promise.all(seeds.map((seed) => compareRound(t, seed, { engines: ['own', 'own'], settings, prepare, judge }))),
  );
}

t.test('our listener serves at least a quarter of these requests', async (t) => {
  t.comment(JSON.stringify(counts));
  t.ok(counts.served > counts['handed over'] / 3);
  t.ok(counts['handed over'] > 0);
  t.ok(counts.repeated > counts.served / 4);
});

import t, { type Test } from 'tap';
import { gateway } from '../support/gateway.ts';
import { isFullSize } from '../support/long.ts';
import { tries } from '../support/properties.ts';
import { type Random, random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { settableClock } from '../support/settable-clock.ts';
import { compareSeen, differences } from './engines/differences.ts';
import { Player } from './engines/played-case.ts';
import { answerBySeed } from './engines/random-answers.ts';
import { type Case, randomCase } from './engines/random-cases.ts';
import { type RecordingUpstream, recordingUpstream } from './engines/recording-upstream.ts';
import { scene, upstreams } from './engines/scene.ts';

// Two gateways with one configuration before one upstream, each with an engine of its own: whatever they are asked, by
// whomever and when, their clients and the upstream cannot tell them apart.

/** Some 50,000 requests to each of two gateways: 300 s in .ci/run on a busy machine. */
t.setTimeout(isFullSize ? 2_400_000 : 600_000);

const LANES = 16;
const PHASES = 4;
const ROUND = 250;
/** At one time: each has a gateway, an upstream and a clock of its own, and waits for limits of time more than it computes. */
const ROUNDS = 4;
const { numRuns } = tries(8, 200);
const start = Number(process.env.GATEHOUSE_SEED ?? 0);

/** Milliseconds by which the clock is moved between two phases. */
const steps = [0, 1_000, 6_000, 31_000, 61_000, 150_000, 400_000];

const counts = new Map<string, number>(differences.map(({ name }) => [name, 0]));
const outcomes = new Map<string, number>();

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

/** What is long is long by repeats. */
function brief(text: string): string {
  return text.replace(/(.)\1{20,}/g, '$1…');
}

interface Pair {
  readonly undici: Player;
  readonly own: Player;
}

async function compareOne(item: Case, { undici, own }: Pair, wrong: string[]): Promise<void> {
  const [theirs, ours] = [await undici.play(item), await own.play(item)];
  const compared = compareSeen(theirs, ours);
  count(
    outcomes,
    `${theirs.answer?.line.slice(0, 3) ?? 'none'} ${theirs.requests.length > 0 ? 'forwarded' : (/"code":"(\w+)"/.exec(theirs.answer?.body ?? '')?.[1] ?? 'ours')}`,
  );
  if (compared.kind === 'equal') for (const name of compared.differences) count(counts, name);
  else if (wrong.length < 5)
    wrong.push(
      `${item.id} ${JSON.stringify(item.head)}\nundici ${brief(compared.undici)}\nown    ${brief(compared.own)}`,
    );
}

async function comparePhase(cases: Iterator<Case>, pairs: readonly Pair[], wrong: string[]): Promise<void> {
  const lane = async (pair: Pair) => {
    for (let next = cases.next(); next.done !== true; next = cases.next()) {
      const { id, head } = next.value;
      // Also where both are silent, that is wrong.
      await compareOne(next.value, pair, wrong).catch((error) => {
        wrong.push(`${id} ${JSON.stringify(head)}\n${error}`);
        endPair(pair);
      });
    }
  };
  await Promise.all(pairs.map(lane));
}

/** Nonces of one gateway serve at the other: they have a key in common. */
async function nonces(port: number): Promise<readonly string[]> {
  const asked = Array.from({ length: 40 }, () => ask(port, requestText({ target: '/nonces' })));
  const found = (await Promise.all(asked)).map((each) => /nonce="([^"]+)"/.exec(each.all('www-authenticate').join()));
  return found.map((each) => each?.[1] ?? 'none');
}

function pairsFor(ports: { undici: number; own: number }, upstream: RecordingUpstream): readonly Pair[] {
  return Array.from({ length: LANES }, () => ({
    undici: new Player(ports.undici, upstream),
    own: new Player(ports.own, upstream),
  }));
}

function endPair({ undici, own }: Pair): void {
  undici.end();
  own.end();
}

async function round(t: Test, seed: number): Promise<void> {
  const dice = random(seed);
  const clock = settableClock();
  const upstream = await recordingUpstream(t, answerBySeed);
  const set = await scene(t, dice, clock);
  const open = (engine: 'undici' | 'own') =>
    gateway(t, { ...set.config, upstreams: upstreams(upstream.url, engine) }, clock);
  const ports = { undici: (await open('undici')).port, own: (await open('own')).port };
  const fresh = (await nonces(ports.undici)).values();
  const around = { scene: set, nonce: (from: Random) => fresh.next().value ?? `used-up-${from.below(9)}` };
  const pairs = pairsFor(ports, upstream);
  const wrong: string[] = [];
  for (let phase = 0; phase < PHASES; phase++) {
    const cases = Array.from({ length: ROUND / PHASES }, (_, index) =>
      randomCase(dice, `${seed}-${phase}-${index}`, around),
    );
    await comparePhase(cases.values(), pairs, wrong);
    clock.advance(dice.pick(steps));
    set.revokeSome();
  }
  pairs.forEach(endPair);
  t.same(wrong, [], `GATEHOUSE_SEED=${seed}`);
  t.same(upstream.faults, [], 'the upstream was sent requests only');
}

for (let first = start; first < start + numRuns; first += ROUNDS) {
  const seeds = Array.from({ length: Math.min(ROUNDS, start + numRuns - first) }, (_, index) => first + index);
  t.test(
    `neither a client nor the upstream can tell the engines apart: random requests of seeds ${seeds.join(', ')}`,
    (t) => Promise.all(seeds.map((seed) => round(t, seed))),
  );
}

t.test('every known difference is one that occurs, and so do all kinds of outcomes', async (t) => {
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

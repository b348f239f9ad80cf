import type { Test } from 'tap';
import { gateway } from '../../support/gateway.ts';
import { type Random, random } from '../../support/random.ts';
import { ask } from '../../support/raw-client.ts';
import { requestText } from '../../support/request-text.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { Player, type Seen } from './played-case.ts';
import { answerBySeed } from './random-answers.ts';
import { type Case, randomCase } from './random-cases.ts';
import { type RecordingUpstream, recordingUpstream } from './recording-upstream.ts';
import { scene, upstreams } from './scene.ts';

// Two gateways whose configurations differ in one setting, before one upstream, get the same random requests.

/** What is compared. */
export interface Comparison {
  /** The settings that differ between the first and the second gateway. */
  readonly engines: readonly ['undici' | 'own', 'undici' | 'own'];
  readonly settings: readonly [object, object];
  readonly prepare?: (item: Case, dice: Random) => Case;
  /** A fault in words; undefined: both answers are the same. */
  readonly judge: (item: Case, first: Seen, second: Seen) => string | undefined;
}

const LANES = 16;
const PHASES = 4;
const ROUND = 250;

/** Milliseconds by which the clock moves between two phases. */
const steps = [0, 1_000, 6_000, 31_000, 61_000, 150_000, 400_000];

type Pair = readonly [Player, Player];

/** Long texts consist of repeats. */
export function brief(text: string): string {
  return text.replace(/(.)\1{20,}/g, '$1…');
}

async function comparePhase(
  cases: Iterator<Case>,
  pairs: readonly Pair[],
  judge: Comparison['judge'],
  wrong: string[],
): Promise<void> {
  const compareOne = async (item: Case, [first, second]: Pair) => {
    const seen = [await named('first', first.play(item)), await named('second', second.play(item))] as const;
    const fault = judge(item, ...seen);
    if (fault !== undefined && wrong.length < 5) wrong.push(`${item.id} ${JSON.stringify(item.head)}\n${fault}`);
  };
  const compareEach = async (item: Case, pair: Pair) => {
    for (const each of [item, ...(item.again ?? [])]) await compareOne(each, pair);
  };
  const lane = async (pair: Pair) => {
    for (let next = cases.next(); next.done !== true; next = cases.next()) {
      const { id, head } = next.value;
      // Also wrong if both are silent.
      await compareEach(next.value, pair).catch((error) => {
        wrong.push(`${id} ${JSON.stringify(head)}\n${error}`);
        endPair(pair);
      });
    }
  };
  await Promise.all(pairs.map(lane));
}

/** An error names its gateway. */
async function named<T>(name: string, playing: Promise<T>): Promise<T> {
  try {
    return await playing;
  } catch (cause) {
    throw new Error(`the ${name} gateway: ${cause}`, { cause });
  }
}

/** Nonces of one gateway are valid at the other, because both have the same key. */
async function nonces(port: number): Promise<readonly string[]> {
  const asked = Array.from({ length: 40 }, () => ask(port, requestText({ target: '/nonces' })));
  const found = (await Promise.all(asked)).map((each) => /nonce="([^"]+)"/.exec(each.all('www-authenticate').join()));
  return found.map((each) => each?.[1] ?? 'none');
}

function pairsFor([first, second]: readonly [number, number], upstream: RecordingUpstream): readonly Pair[] {
  return Array.from({ length: LANES }, () => [new Player(first, upstream), new Player(second, upstream)] as const);
}

function endPair(pair: Pair): void {
  for (const player of pair) player.end();
}

/** 250 requests to each, in four phases with a clock that moves between them. */
export async function compareRound(t: Test, seed: number, comparison: Comparison): Promise<void> {
  const { engines, settings, judge, prepare = (item: Case) => item } = comparison;
  const dice = random(seed);
  const clock = settableClock();
  const upstream = await recordingUpstream(t, answerBySeed);
  const set = await scene(t, dice, clock);
  const open = async (index: 0 | 1) => {
    const file = { ...set.config, ...settings[index], upstreams: upstreams(upstream.url, engines[index]) };
    return (await gateway(t, file, clock)).port;
  };
  const ports = [await open(0), await open(1)] as const;
  const fresh = (await nonces(ports[0])).values();
  const around = { scene: set, nonce: (from: Random) => fresh.next().value ?? `used-up-${from.below(9)}` };
  const pairs = pairsFor(ports, upstream);
  const wrong: string[] = [];
  for (let phase = 0; phase < PHASES; phase++) {
    const cases = Array.from({ length: ROUND / PHASES }, (_, index) =>
      prepare(randomCase(dice, `${seed}-${phase}-${index}`, around), dice),
    );
    await comparePhase(cases.values(), pairs, judge, wrong);
    clock.advance(dice.pick(steps));
    set.revokeSome();
  }
  pairs.forEach(endPair);
  t.same(wrong, [], `GATEHOUSE_SEED=${seed}`);
  t.same(upstream.faults, [], 'the upstream was sent requests only');
}

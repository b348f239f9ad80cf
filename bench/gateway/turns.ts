import { inTurn } from '../in-turn.ts';
import { underLoad } from '../under-load.ts';
import type { Measured } from '../wrk.ts';
import type { PartBench, Turn } from './part.ts';

/** A row: the program whose CPU time is counted, and the load. */
export interface Contestant {
  readonly name: string;
  readonly pid: number;
  /** Prepares requests for so many seconds, and returns the load itself, which alone is measured. */
  readonly prepare: (seconds: number) => Promise<() => Promise<Measured>>;
}

/** Seconds, at most. */
const WARM_UP = 2;

/**
 * Rounds are interleaved, so that other work on the machine affects all rows alike. Each round begins with a different
 * row.
 */
export async function runTurns(
  contestants: readonly Contestant[],
  bench: PartBench,
  inEachRound: (round: number) => Promise<void> = async () => {},
): Promise<Turn[]> {
  for (const contestant of contestants) {
    bench.say(`warming up: ${contestant.name}`);
    await turnOf(contestant, Math.min(WARM_UP, bench.seconds));
  }
  const turns: Turn[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    for (const contestant of inTurn(contestants, round)) {
      const figures = await turnOf(contestant, bench.seconds);
      const { name } = contestant;
      bench.say(`round ${round}: ${name}: ${figures.cpu.toFixed(1)} µs, ${figures.perSecond.toFixed(0)} requests/s`);
      turns.push({ name, round, figures });
    }
    await inEachRound(round);
  }
  return turns;
}

async function turnOf({ pid, prepare }: Contestant, seconds: number) {
  const { requests: _requests, ...figures } = await underLoad(pid, await prepare(seconds));
  return figures;
}

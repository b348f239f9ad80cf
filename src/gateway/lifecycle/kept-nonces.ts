import type { Problem } from '../../config/load/load.ts';
import type { Generation } from '../generation/generation.ts';
import { schemesTaken } from '../schemes/schemes-of.ts';

/** What an operator must change before the gateway can start. The message is one line for the operator. */
export class CannotStart extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}

/**
 * Why the counts of nonces would be lost. This is checked once the state of the shared counters is known, because a
 * lost count allows a replay (RFC 7616 §5.5).
 */
async function keptNoncesFault({ config, counters }: Generation): Promise<string | undefined> {
  if (!config.routes.some((route) => schemesTaken(route).some(({ row }) => row.countsUses))) return undefined;
  await counters.start();
  return counters.nonceFault?.();
}

export async function requireKeptNonces(generation: Generation): Promise<void> {
  const fault = await keptNoncesFault(generation);
  if (fault !== undefined) throw new CannotStart(fault);
}

/** The same for a reload. */
export async function keptNoncesProblems(generation: Generation): Promise<readonly Problem[]> {
  const message = await keptNoncesFault(generation);
  return message === undefined ? [] : [{ severity: 'error', file: '', line: 0, column: 0, message }];
}

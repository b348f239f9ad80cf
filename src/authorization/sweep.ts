import type { Logger } from 'pino';
import { type Clock, seconds } from '../base/clock.ts';
import type { Records } from '../storage/records.ts';

const every = 60_000;
const batch = 1_000;

/** Removes what ended, in batches small enough that no request waits for long. Answers how to stop. */
export function startSweeping(records: Records, clock: Clock, log: Logger): () => void {
  const timer = setInterval(() => {
    sweepAll(records, clock).catch((error) => log.warn({ err: error }, 'sweeping failed'));
  }, every).unref();
  return () => clearInterval(timer);
}

async function sweepAll(records: Records, clock: Clock): Promise<void> {
  while ((await records.sweep(seconds(clock), batch)) >= batch);
}

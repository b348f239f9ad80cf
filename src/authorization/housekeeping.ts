import type { Logger } from 'pino';
import { type Clock, seconds } from '../base/clock.ts';
import type { Records } from '../storage/records.ts';
import type { Service } from './service.ts';

const batch = 1_000;

interface Chore {
  readonly name: string;
  /** Milliseconds. */
  readonly every: number;
  readonly run: (service: Service) => Promise<unknown>;
}

const chores: readonly Chore[] = [
  { name: 'sweeping', every: 60_000, run: ({ records, clock }) => sweepAll(records, clock) },
  { name: 'looking for new signing keys', every: 10_000, run: ({ keys }) => keys.refresh() },
];

/** What has to be done now and then. A failure is told and tried again; answers how to stop. */
export function startHousekeeping(service: Service, log: Logger): () => void {
  const timers = chores.map(({ name, every, run }) =>
    setInterval(() => {
      run(service).catch((error) => log.warn({ err: error }, `${name} failed`));
    }, every).unref(),
  );
  return () => timers.forEach(clearInterval);
}

/** In batches small enough that no request waits for long. */
async function sweepAll(records: Records, clock: Clock): Promise<void> {
  while ((await records.sweep(seconds(clock), batch)) >= batch);
}

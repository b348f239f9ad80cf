import type { Logger } from 'pino';
import { type Clock, seconds } from '../base/clock.ts';
import type { Records } from '../storage/records.ts';
import type { Service } from './service.ts';

const batch = 1_000;

export interface Chore {
  readonly name: string;
  /** Milliseconds from the end of one run to the begin of the next. */
  readonly every: number;
  readonly run: (service: Service) => Promise<unknown>;
}

const chores: readonly Chore[] = [
  { name: 'sweeping', every: 60_000, run: ({ records, clock }) => sweepAll(records, clock) },
  { name: 'looking for new signing keys', every: 10_000, run: ({ keys }) => keys.refresh() },
];

/** What has to be done now and then. Answers how to stop, which waits for what is under way. */
export function startHousekeeping(service: Service, log: Logger, todo = chores): () => Promise<void> {
  const stops = todo.map((chore) => repeat(chore, service, log));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Never twice at once. A failure is told and tried again. */
function repeat({ name, every, run }: Chore, service: Service, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  let isStopped = false;
  const once = async () => {
    await run(service).catch((error) => log.warn({ err: error }, `${name} failed`));
    if (!isStopped) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = once();
    }, every).unref();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}

/** In batches small enough that no request waits for long. */
async function sweepAll(records: Records, clock: Clock): Promise<void> {
  while ((await records.sweep(seconds(clock), batch)) >= batch);
}

import type { Logger } from 'pino';
import { type Clock, forgettingClock } from '../base/clock.ts';
import type { Service } from './service.ts';

const batch = 1_000;

export interface Chore {
  readonly name: string;
  /** Milliseconds from the end of one run to the begin of the next. */
  readonly every: number;
  readonly run: (service: Service) => Promise<unknown>;
}

const choresOf = (clock: Clock): readonly Chore[] => [
  sweeping(forgettingClock(clock)),
  { name: 'looking for new signing keys', every: 10_000, run: ({ keys }) => keys.refresh() },
];

/** What has to be done now and then. Answers how to stop, which waits for what is under way. */
export function startHousekeeping(service: Service, log: Logger, todo = choresOf(service.clock)): () => Promise<void> {
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
function sweeping(forgetting: () => number): Chore {
  const run = async ({ records }: Service) => {
    while ((await records.sweep(forgetting(), batch)) >= batch);
  };
  return { name: 'sweeping', every: 60_000, run };
}

import type { Logger } from 'pino';

export interface ShutdownOptions {
  /** Finishes what is in flight, then lets go of everything. */
  readonly stop: () => Promise<void>;
  /** Milliseconds that `stop` may take. */
  readonly deadline: number;
  readonly log: Logger;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/** The first signal stops in order: exit 0, or 3 when the deadline passed or the stop failed. The second exits at once. */
export function stopOnSignal({ stop, deadline, log }: ShutdownOptions): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(3);
    stopping = true;
    log.info({ signal }, 'stopping');
    void stopWithin(stop, deadline, log).then((status) => process.exit(status));
  };
  for (const signal of signals) process.on(signal, onSignal);
}

async function stopWithin(stop: () => Promise<void>, deadline: number, log: Logger): Promise<0 | 3> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, deadline, 'late');
  try {
    if ((await Promise.race([stop(), late])) !== 'late') return 0;
    log.error({ deadline }, 'not stopped within the deadline');
  } catch (error) {
    log.error({ err: error }, 'stopping failed');
  } finally {
    clearTimeout(timer);
  }
  return 3;
}

import type { Logger } from 'pino';
import { exitForCertain } from './exit-for-certain.ts';

export interface ShutdownOptions {
  /** Finishes requests in flight, then releases everything. */
  readonly stop: () => Promise<void>;
  /** Milliseconds that `stop` may take. */
  readonly deadline: number;
  readonly log: Logger;
}

/**
 * Milliseconds. A terminal signals every process of its group, and a launcher passes its signal on. So two signals in this time
 * count as one.
 */
const SAME_SIGNAL = 300;

const signals = ['SIGTERM', 'SIGINT'] as const;

/** The first signal stops in order: exit 0, or 3 if the deadline passed or the stop failed. The second signal exits at once. */
export function stopOnSignal({ stop, deadline, log }: ShutdownOptions): void {
  let since: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (since !== undefined) {
      if (now - since > SAME_SIGNAL) exitForCertain(3);
      return;
    }
    since = now;
    log.info({ signal }, 'stopping');
    void stopWithin(stop, deadline, log).then((status) => (status === 0 ? process.exit(0) : exitForCertain(status)));
  };
  for (const signal of signals) process.on(signal, onSignal);
}

async function stopWithin(stop: () => Promise<void>, deadline: number, log: Logger): Promise<0 | 3> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, deadline, 'late');
  try {
    if ((await Promise.race([stop(), late])) !== 'late') return 0;
    log.error({ deadline }, 'could not stop within the deadline');
  } catch (error) {
    log.error({ err: error }, 'stopping failed');
  } finally {
    clearTimeout(timer);
  }
  return 3;
}

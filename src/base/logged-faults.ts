import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { LogLimiter } from './log-limiter.ts';

/**
 * Tells an error log of a file's faults. One fault meets many lines, each time as another object: the same fault is told
 * again after an hour.
 */
export function loggedFaults(clock: Clock, log: Logger, what: string): (fault: Error | undefined) => void {
  const lines = new LogLimiter(clock, (count) =>
    log.error({ count }, `${what}: so many more faults in the hour before`),
  );
  return (fault) => {
    if (fault !== undefined && lines.isDue(nameOf(fault))) log.error({ err: fault }, what);
  };
}

function nameOf({ code, message }: NodeJS.ErrnoException): string {
  return `${code} ${message}`;
}

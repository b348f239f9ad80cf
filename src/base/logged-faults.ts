import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { LogLimiter } from './log-limiter.ts';

/**
 * Reports a file's faults to an error log. One fault affects many lines, each with a new error object. The same fault is logged
 * again after an hour.
 */
export function loggedFaults(clock: Clock, log: Logger, what: string): (fault: Error | undefined) => void {
  const lines = new LogLimiter(clock, (count) => log.error({ count }, `${what}: more faults in the last hour`));
  return (fault) => {
    if (fault !== undefined && lines.isDue(nameOf(fault))) log.error({ err: fault }, what);
  };
}

function nameOf({ code, message }: NodeJS.ErrnoException): string {
  return `${code} ${message}`;
}

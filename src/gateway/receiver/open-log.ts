import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { faultLog, type GatewayLog } from '../message/fault-log.ts';
import { trustOf } from '../server-client/trust.ts';
import { type EventLog, mayCount } from './event-log.ts';
import { FileLog, storedEntries } from './file-log.ts';
import { MemoryLog } from './memory-log.ts';
import { RedisLog } from './redis-log.ts';

interface Around {
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** Where relative filenames start. */
  readonly directory: string;
}

/** Opens the log of received events: in Redis, in a file, or in memory. Undefined: this gateway receives none. */
export function openEventLog(config: GatewayConfig, { clock, log, directory }: Around): EventLog | undefined {
  const { receiver, counters } = config;
  if (!receivesReports(config)) return undefined;
  if (counters.url !== 'memory') {
    const faults = faultLog(log, {}, 'keep received events in Redis');
    return new RedisLog({
      url: counters.url,
      trust: trustOf(counters, { directory }),
      clock,
      faults,
      longest: longestOf(config),
    });
  }
  return receiver?.file === undefined ? new MemoryLog(clock) : new FileLog(resolve(directory, receiver.file), clock);
}

/** The stored log, for a process that only reads it. Undefined: nothing is stored. Rejects if the file cannot be read. */
export async function openLogForReading(config: GatewayConfig, around: Around): Promise<EventLog | undefined> {
  const { receiver, counters } = config;
  if (counters.url !== 'memory') return startedLog(openEventLog(config, around));
  if (receiver?.file === undefined) return undefined;
  const log = new MemoryLog(around.clock);
  for await (const entry of storedEntries(resolve(around.directory, receiver.file)))
    if (mayCount(entry, around.clock)) log.restore(entry);
  return startedLog(log);
}

async function startedLog(log: EventLog | undefined): Promise<EventLog | undefined> {
  await log?.start();
  return log;
}

/** Whether servers may report to this gateway, or it polls them. */
export function receivesReports({ receiver, authorization_servers: servers }: GatewayConfig): boolean {
  return receiver !== undefined || Object.values(servers).some((server) => server.security_events?.poll !== undefined);
}

const DAY = 86_400_000;

/** Milliseconds. A later file may accept longer lifetimes, so this is never less than a week. */
function longestOf({ authorization_servers: servers }: GatewayConfig): number {
  return Math.max(7 * DAY, ...Object.values(servers).map(({ max_token_lifetime }) => max_token_lifetime + DAY));
}

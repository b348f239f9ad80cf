import { systemClock } from '../../base/clock.ts';
import type { GatewayLog } from '../message/fault-log.ts';
import type { EventLog } from '../receiver/event-log.ts';
import { openLogForReading } from '../receiver/open-log.ts';
import type { CheckedGatewayFile } from './dry-engine.ts';

/** A file, and the reports of authorization servers if this process receives them. */
export type FileWithReports = Pick<CheckedGatewayFile, 'config' | 'directory'> & {
  readonly received?: EventLog | undefined;
};

/**
 * Does `work` with the reports of authorization servers. In another process than the gateway, it reads them from Redis or
 * from the gateway's file. A gateway without both keeps them in its memory, which no other process can read.
 */
export async function withReceived<Result>(
  { config, directory, received }: FileWithReports,
  log: GatewayLog,
  work: (received: EventLog | undefined) => Promise<Result>,
): Promise<Result> {
  if (received !== undefined) return work(received);
  const stored = await openLogForReading(config, { clock: systemClock, log, directory });
  try {
    return await work(stored);
  } finally {
    await stored?.close();
  }
}

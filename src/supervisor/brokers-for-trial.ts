import type { Problem } from '../config/load/load.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { SentGeneration } from './messages.ts';
import type { ServerBrokers } from './server-brokers.ts';

type Desks = SentGeneration['desks'];

export interface Trial {
  readonly config: GatewayConfig;
  readonly directory: string;
  /** The brokers of the active configuration. */
  readonly active: Desks;
}

/**
 * Opens the brokers of a new file while workers prepare it. If they cannot use the file, only the active brokers stay
 * open. They are kept by their ids, because a changed file of `tls.ca` would give the same servers other ids.
 */
export async function brokersForTrial(
  brokers: Pick<ServerBrokers, 'open' | 'keep'>,
  { config, directory, active }: Trial,
  prepare: (desks: Desks) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  let isReady = false;
  try {
    const problems = await prepare(brokers.open(config, directory));
    isReady = problems.length === 0;
    return problems;
  } finally {
    if (!isReady) brokers.keep(Object.values(active));
  }
}

import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { buildPasswords } from '../base/passwords.ts';
import type { AuthorizationConfig } from '../config/authorization.ts';
import { openCounters } from '../storage/counters-open.ts';
import { buildThrottle } from '../storage/counters-throttle.ts';
import { openRecords } from '../storage/open.ts';
import type { Records } from '../storage/records.ts';
import { buildAudit } from './audit.ts';
import { buildClients } from './clients.ts';
import { buildFeed } from './feed/feed.ts';
import { buildMetrics } from './metrics.ts';
import { buildAccounts } from './people/accounts.ts';
import { buildLoginAttempts } from './people/login-attempts.ts';
import { rememberClients } from './recent-clients.ts';
import { loadSecrets } from './secrets.ts';
import type { Service } from './service.ts';
import { loadSigningKeys } from './tokens/signing-keys.ts';
import { buildUserKeys } from './tokens/user-keys.ts';

export interface ServiceDependencies {
  /** Of the configuration file: a relative storage path starts here. */
  readonly directory: string;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** Instead of opening `storage`; closed by `close` all the same. */
  readonly records?: Records | undefined;
}

export interface OpenService {
  readonly service: Service;
  /** The audit log, the counters, then the store. */
  close(): Promise<void>;
}

/** The store opened and migrated, the keys made. Where that fails, whatever was opened is closed. */
export async function openService(config: AuthorizationConfig, deps: ServiceDependencies): Promise<OpenService> {
  const opened = new AsyncDisposableStack();
  try {
    const service = await open(config, deps, opened);
    return { service, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens the store that the configuration names, and migrates it. */
export function openStore(
  config: AuthorizationConfig,
  { directory, clock, warn }: { directory: string; clock: Clock; warn?: (message: string) => void },
): Promise<Records> {
  return openRecords(config.storage, { directory, clock, warn, encryptionKeys: config.encryption_keys });
}

async function open(
  config: AuthorizationConfig,
  { directory, log, clock = systemClock, records: given }: ServiceDependencies,
  opened: AsyncDisposableStack,
): Promise<Service> {
  const records = opened.adopt(
    given ?? (await openStore(config, { directory, clock, warn: (message) => log.warn(message) })),
    closeIt,
  );
  const counters = opened.adopt(openCounters(config.counters, { clock, log }), closeIt);
  const auditFile = config.audit && resolve(directory, config.audit.file);
  const audit = opened.adopt(buildAudit(auditFile, clock, log), closeIt);
  const { max_failures: maxFailures, window } = config.login;
  const passwords = buildPasswords();
  const clients = buildClients(config, records, clock);
  return {
    config,
    clock,
    records,
    keys: await loadSigningKeys({ records, config, clock }),
    userKeys: buildUserKeys({ records, config, clock }),
    clients,
    recentClients: rememberClients(clients, clock),
    accounts: await buildAccounts(config.users, { records, passwords }),
    passwords,
    secrets: await loadSecrets(records),
    throttle: buildThrottle({ counters, maxFailures, window }),
    loginAttempts: buildLoginAttempts({ counters, maxFailures, window }),
    counters,
    audit,
    metrics: buildMetrics(counters),
    feed: opened.adopt(buildFeed({ records, clock, log }), closeIt),
  };
}

function closeIt(resource: { close(): Promise<void> | void }): Promise<void> | void {
  return resource.close();
}

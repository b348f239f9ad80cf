import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { type Clock, seconds, systemClock } from '../base/clock.ts';
import { trackConnections } from '../base/connections.ts';
import { buildHealth } from '../base/health.ts';
import { listen } from '../base/listen.ts';
import { buildPasswords } from '../base/passwords.ts';
import type { AuthorizationConfig } from '../config/authorization.ts';
import { COUNTED_ALONE } from '../storage/counters.ts';
import { openCounters } from '../storage/counters-open.ts';
import { buildThrottle } from '../storage/counters-throttle.ts';
import { openRecords } from '../storage/open.ts';
import type { Records } from '../storage/records.ts';
import { buildAccounts } from './accounts.ts';
import { buildApp } from './app.ts';
import { openAudit } from './audit.ts';
import { loadSite } from './browser/site.ts';
import { buildClients } from './clients.ts';
import { startHousekeeping } from './housekeeping.ts';
import { buildMetrics } from './metrics.ts';
import { loadSecrets } from './secrets.ts';
import type { ServerLimits } from './server-limits.ts';
import type { Service } from './service.ts';
import { loadSigningKeys } from './signing-keys.ts';

export interface AuthorizationDependencies {
  /** Of the configuration file: a relative storage path starts here. */
  readonly directory: string;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Instead of opening `storage`; closed by `stop` all the same. */
  readonly records?: Records;
  readonly limits?: ServerLimits;
}

export interface Authorization {
  readonly service: Service;
  readonly app: FastifyInstance;
  /** Listens at `listen`, `admin` and `health`; answers with the URLs, which matter where a port is 0. */
  start(): Promise<{ readonly url: string; readonly admin?: string; readonly health?: string }>;
  /** Not ready at once, then what is in flight is finished, then the store is closed. */
  stop(): Promise<void>;
}

/** The whole authorization service in this process: its store opened and migrated, its keys made, nothing listening yet. */
export async function buildAuthorization(
  config: AuthorizationConfig,
  deps: AuthorizationDependencies,
): Promise<Authorization> {
  const clock = deps.clock ?? systemClock;
  const records = deps.records ?? (await openStore(config, { directory: deps.directory, clock }));
  try {
    const service = await buildService(config, records, { ...deps, clock });
    return assemble(service, deps);
  } catch (error) {
    await records.close();
    throw error;
  }
}

/** Opens the store that the configuration names, and migrates it. */
export function openStore(
  config: AuthorizationConfig,
  { directory, clock }: { directory: string; clock: Clock },
): Promise<Records> {
  return openRecords(config.storage, { directory, clock, encryptionKeys: config.encryption_keys });
}

async function buildService(
  config: AuthorizationConfig,
  records: Records,
  { clock, log, directory }: { readonly clock: Clock; readonly log: Logger; readonly directory: string },
): Promise<Service> {
  const { max_failures: maxFailures, window } = config.login;
  const passwords = buildPasswords();
  const counters = openCounters(config.counters, { clock, log });
  const auditFile = config.audit && resolve(directory, config.audit.file);
  return {
    config,
    clock,
    records,
    keys: await loadSigningKeys({ records, config, clock }),
    clients: buildClients(config.clients, records, clock),
    accounts: await buildAccounts(config.users, { records, passwords }),
    passwords,
    secrets: await loadSecrets(records),
    throttle: buildThrottle({ counters, maxFailures, window }),
    counters,
    audit: await openAudit(auditFile, clock, log),
    metrics: buildMetrics(counters),
  };
}

function assemble(service: Service, { log, limits, directory }: AuthorizationDependencies): Authorization {
  const { config, records, clock, metrics } = service;
  const app = buildApp(service, { log, limits, hosted: loadSite(service.config, directory) });
  let isDraining = false;
  let stopSweeping = () => {};
  const notReady = () => (isDraining ? 'draining' : storeFault(records, clock));
  const remark = () => (service.counters.reachable() ? undefined : COUNTED_ALONE);
  const probes = { notReady, remark, registry: metrics.registry };
  const [admin, health] = [buildHealth(probes), buildHealth(probes)];
  const connections = trackConnections(app.server);

  async function start() {
    collectDefaultMetrics({ register: metrics.registry });
    await service.counters.start();
    const urls = {
      url: await listen(app, config.listen),
      ...(config.admin && { admin: await listen(admin, config.admin) }),
      ...(config.health && { health: await listen(health, config.health) }),
    };
    stopSweeping = startHousekeeping(service, log);
    return urls;
  }

  async function stop() {
    isDraining = true;
    stopSweeping();
    const closed = app.close();
    connections.drain();
    await closed;
    await Promise.all([admin.close(), health.close()]);
    await service.audit.close();
    await service.counters.close();
    await records.close();
  }

  return { service, app, start, stop };
}

async function storeFault(records: Records, clock: Clock): Promise<string | undefined> {
  try {
    await records.ping(seconds(clock));
    return undefined;
  } catch {
    return 'the store does not work';
  }
}

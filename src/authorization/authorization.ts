import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { type Clock, seconds, systemClock } from '../base/clock.ts';
import { trackConnections } from '../base/connections.ts';
import { buildHealth } from '../base/health.ts';
import { listen } from '../base/listen.ts';
import type { AuthorizationConfig } from '../config/authorization.ts';
import { openRecords } from '../storage/open.ts';
import type { Records } from '../storage/records.ts';
import { buildApp } from './app.ts';
import { buildClients } from './clients.ts';
import { buildMetrics } from './metrics.ts';
import type { ServerLimits } from './server-limits.ts';
import type { Service } from './service.ts';
import { loadSigningKeys } from './signing-keys.ts';
import { startSweeping } from './sweep.ts';
import { buildThrottle } from './throttle.ts';

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
    const service = await buildService(config, records, clock);
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

async function buildService(config: AuthorizationConfig, records: Records, clock: Clock): Promise<Service> {
  const { max_failures: maxFailures, window } = config.login;
  return {
    config,
    clock,
    records,
    keys: await loadSigningKeys(records, config.signing.alg, clock),
    clients: buildClients(config.clients),
    throttle: buildThrottle({ clock, maxFailures, window }),
    metrics: buildMetrics(),
  };
}

function assemble(service: Service, { log, limits }: AuthorizationDependencies): Authorization {
  const { config, records, clock, metrics } = service;
  const app = buildApp(service, log, limits);
  let isDraining = false;
  let stopSweeping = () => {};
  const notReady = () => (isDraining ? 'draining' : storeFault(records, clock));
  const [admin, health] = [
    buildHealth({ notReady, registry: metrics.registry }),
    buildHealth({ notReady, registry: metrics.registry }),
  ];
  const connections = trackConnections(app.server);

  async function start() {
    collectDefaultMetrics({ register: metrics.registry });
    const urls = {
      url: await listen(app, config.listen),
      ...(config.admin && { admin: await listen(admin, config.admin) }),
      ...(config.health && { health: await listen(health, config.health) }),
    };
    stopSweeping = startSweeping(records, clock, log);
    return urls;
  }

  async function stop() {
    isDraining = true;
    stopSweeping();
    const closed = app.close();
    connections.drain();
    await closed;
    await Promise.all([admin.close(), health.close()]);
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

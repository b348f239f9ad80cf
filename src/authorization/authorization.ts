import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import { type Clock, seconds } from '../base/clock.ts';
import { trackConnections } from '../base/connections.ts';
import { buildHealth } from '../base/health.ts';
import { listen } from '../base/listen.ts';
import type { AuthorizationConfig } from '../config/authorization.ts';
import { COUNTED_ALONE } from '../storage/counters.ts';
import type { Records } from '../storage/records.ts';
import { buildApp } from './app.ts';
import { loadSite } from './browser/site.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { ServerLimits } from './http/server-limits.ts';
import { type OpenService, openService, type ServiceDependencies } from './open-service.ts';
import type { Service } from './service.ts';

export interface AuthorizationDependencies extends ServiceDependencies {
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
  const opened = await openService(config, deps);
  try {
    await opened.service.audit.open();
    return assemble(opened, deps);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function assemble({ service, close }: OpenService, deps: AuthorizationDependencies): Authorization {
  const { log, limits, directory } = deps;
  const { config, records, clock, metrics } = service;
  const app = buildApp(service, { log, limits, hosted: loadSite(service.config, directory) });
  let isDraining = false;
  let stopHousekeeping = async () => {};
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
    stopHousekeeping = startHousekeeping(service, log);
    return urls;
  }

  async function stop() {
    isDraining = true;
    const atRest = stopHousekeeping();
    // Its answers would never end; what it waits for in the store must not keep the listener open.
    const closed = Promise.all([service.feed.close(), app.close()]);
    connections.drain();
    await closed;
    await Promise.all([admin.close(), health.close()]);
    await atRest;
    await close();
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

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { buildHealth } from '../base/health.ts';
import { listen } from '../base/listen.ts';
import { buildLog } from '../base/log.ts';
import type { GatewayConfig } from '../config/gateway.ts';
import type { Address } from '../config/schema.ts';
import { buildAdmin } from './admin.ts';
import { crossOrigin } from './cross-origin.ts';
import { Decisions } from './decisions.ts';
import type { Shared } from './exchange.ts';
import { buildGeneration } from './generation.ts';
import { buildMetrics } from './metrics.ts';
import { buildProxy } from './proxy.ts';
import { buildServer } from './server.ts';
import { Stalls } from './stalls.ts';
import { originReader } from './trusted-proxies.ts';

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string | undefined;
  readonly healthUrl: string | undefined;
  /** Not ready at once; resolves when what was in flight has ended. */
  stop(): Promise<void>;
}

/** Builds a gateway and listens. Rejects with the listener's error when an address cannot be taken. */
export async function startGateway({
  config,
  directory,
  clock = systemClock,
  log = buildLog(config.log),
}: GatewayOptions): Promise<RunningGateway> {
  const generation = buildGeneration(config, { clock, log, directory });
  const decisions = new Decisions(log);
  const shared = share(config, clock, log, decisions);
  const handle = buildProxy(generation.engine, shared);
  const app = buildServer({ limits: config.limits, handle, malformed: (code) => decisions.count('', code) });
  const health = {
    notReady: () => (shared.draining ? 'draining' : generation.verifiers.ready() ? undefined : 'no keys yet'),
    registry: buildMetrics(decisions, generation),
  };
  const listeners: FastifyInstance[] = [];
  const open = async (instance: FastifyInstance, address: Address): Promise<string> => {
    const url = await listen(instance, address);
    listeners.push(instance);
    return url;
  };
  const closeAll = async () => {
    await Promise.all(listeners.map((instance) => instance.close()));
    shared.stalls.close();
    await generation.close();
  };
  try {
    void generation.verifiers.start();
    const adminUrl = config.admin && (await open(buildAdmin(health, generation.routes), config.admin));
    const healthUrl = config.health && (await open(buildHealth(health), config.health));
    const url = await listen(app, config.listen);
    const stop = async () => {
      shared.draining = true;
      await drain(app);
      await closeAll();
    };
    return { url, port: (app.server.address() as AddressInfo).port, adminUrl, healthUrl, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function share(config: GatewayConfig, clock: Clock, log: Logger, decisions: Decisions): Shared {
  return {
    clock,
    log,
    decisions,
    stalls: new Stalls(clock),
    limits: config.limits,
    originOf: originReader(config.trusted_proxies),
    crossOrigin: crossOrigin(config.cors, config.request_id.header),
    requestIdHeader: config.request_id.header,
    requestIdHeaderLower: config.request_id.header.toLowerCase(),
    draining: false,
  };
}

/** Stops accepting, and closes each kept connection once its answer is out. */
async function drain(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}

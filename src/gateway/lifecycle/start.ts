import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../../base/clock.ts';
import { listen } from '../../base/listen.ts';
import { buildLog } from '../../base/log.ts';
import { trackSilent } from '../../base/silent-connections.ts';
import type { GatewayConfig } from '../../config/gateway.ts';
import type { Loaded, Pointer, Position } from '../../config/load.ts';
import type { Address } from '../../config/schema.ts';
import { COUNTED_ALONE } from '../../storage/counters.ts';
import { Stalls } from '../forward/stalls.ts';
import { Decisions } from '../telemetry/decisions.ts';
import { buildMetrics } from '../telemetry/metrics.ts';
import { buildAdmin } from './admin.ts';
import { buildGeneration, type Generation, type GenerationDependencies } from './generation.ts';
import { buildHealthListener } from './health-listener.ts';
import { keepNothingYet } from './kept.ts';
import { buildProxy } from './proxy.ts';
import { buildReload, type Reloaded, type Reloading } from './reload.ts';
import { applyLimits, buildServer } from './server.ts';
import { renewTls, tlsOptions } from './tls.ts';

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
  /** Where a value of the file stands, so that a refusal can name the line of its route. */
  readonly locate?: (pointer: Pointer) => Position;
  /** Reads the file anew, for a reload; absent where there is none. */
  readonly load?: (() => Loaded<GatewayConfig>) | undefined;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string | undefined;
  readonly healthUrl: string | undefined;
  /** Takes the file up as it now stands, whole or not at all. */
  readonly reload: (() => Promise<Reloaded>) | undefined;
  /** Not ready at once; resolves when what was in flight has ended. */
  stop(): Promise<void>;
}

/** Builds a gateway and listens. Rejects with the listener's error when an address cannot be taken. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { config } = options;
  const core = openCore(options);
  const listeners: FastifyInstance[] = [];
  const open = async (instance: FastifyInstance, address: Address): Promise<string> => {
    const url = await listen(instance, address);
    listeners.push(instance);
    return url;
  };
  const closeAll = async () => {
    await Promise.all(listeners.map((instance) => instance.close()));
    core.stalls.close();
    await core.kept.close();
  };
  try {
    const app = openProxy(core, config);
    const silent = trackSilent(app.server);
    const stats = { success: 0, failure: 0, lastSuccessful: true, lastSuccess: core.clock.now() };
    const reload = options.load && reloader(core, app.server, { config, load: options.load, stats });
    const registry = buildMetrics(core.decisions, core.live, stats);
    const health = { notReady: () => notReady(core), remark: () => remark(core), registry };
    void core.live.current.verifiers.start();
    await core.live.current.counters.start();
    const { live, decisions } = core;
    const adminUrl = config.admin && (await open(buildAdmin(health, live, { decisions, reload }), config.admin));
    const healthUrl = config.health && (await open(buildHealthListener(health, live), config.health));
    const url = withScheme(await listen(app, config.listen), config);
    const stop = async () => {
      core.listener.draining = true;
      silent.end();
      // A tunnel has no end of its own; its client connects again, to another instance.
      for (const tunnel of core.listener.tunnels) tunnel.destroySoon();
      await drain(app);
      await closeAll();
    };
    return { url, port: (app.server.address() as AddressInfo).port, adminUrl, healthUrl, reload, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What every generation of this gateway serves with, and the first of them. */
type Core = GenerationDependencies & { readonly live: { current: Generation } };

function openCore({ config, directory, locate, clock = systemClock, ...options }: GatewayOptions): Core {
  const log = options.log ?? buildLog(config.log);
  const decisions = new Decisions(log, clock);
  const listener = { draining: false, tunnels: new Set<Socket>(), doomed: new WeakSet<Socket>() };
  const core = { clock, log, decisions, stalls: new Stalls(clock), kept: keepNothingYet(), listener, directory };
  return { ...core, live: { current: buildGeneration(config, { ...core, locate }) } };
}

function openProxy({ decisions, live, directory }: Core, { limits, listen: address }: GatewayConfig): FastifyInstance {
  const { tls } = address;
  return buildServer({
    limits,
    tls: tls && { config: tls, options: tlsOptions({ ...address, tls }, directory) },
    handle: buildProxy(live),
    malformed: (code) => {
      decisions.count('', code);
      return live.current.shared.tickets.sealMalformed(code);
    },
  });
}

function notReady({ listener, live }: Core): string | undefined {
  if (listener.draining) return 'draining';
  return live.current.verifiers.ready() ? undefined : 'no usable keys or store yet';
}

function remark({ live }: Core): string | undefined {
  return live.current.counters.reachable() ? undefined : COUNTED_ALONE;
}

type Reloader = Pick<Reloading, 'load' | 'stats'> & { readonly config: GatewayConfig };

function reloader(core: Core, server: Server, { config, load, stats }: Reloader): () => Promise<Reloaded> {
  const { clock, log, live, directory } = core;
  const { tls } = config.listen;
  return buildReload({
    load,
    live,
    build: (loaded) => buildGeneration(loaded.config, { ...core, locate: loaded.locate }),
    apply: ({ limits }) => applyLimits(server, limits),
    renew: () => tls && renewTls(server as unknown as HttpsServer, tls, directory, log),
    stats,
    clock,
    log,
  });
}

/** The framework does not know what its server speaks. */
function withScheme(url: string, { listen: { tls } }: GatewayConfig): string {
  return tls === undefined ? url : url.replace(/^http:/, 'https:');
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

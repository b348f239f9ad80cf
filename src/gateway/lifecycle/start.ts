import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { listen, listenAt } from '../../base/listen.ts';
import { trackSilent } from '../../base/silent-connections.ts';
import type { Loaded } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Listen } from '../../config/schema/listener.ts';
import type { ConsoleParts } from '../console/console.ts';
import { type ConsoleSources, consoleParts } from '../console/console-parts.ts';
import { Sampler } from '../console/live/sampler.ts';
import { viewersMetric } from '../console/live/viewers-metric.ts';
import { buildGeneration } from '../generation/generation.ts';
import type { GrpcListener } from '../listener/grpc/grpc-listener.ts';
import { applyLimits } from '../listener/server.ts';
import { flushSpans } from '../telemetry/flush-spans.ts';
import { chooseReader } from './chosen-reader.ts';
import {
  beginDraining,
  type Core,
  type CoreOptions,
  notReady,
  openCore,
  openDecisionEndpoint,
  openGrpc,
  openProxy,
  remark,
  renewal,
  warm,
  withScheme,
} from './core.ts';
import { keptNoncesProblems, requireKeptNonces } from './kept-nonces.ts';
import { type Management, openManagement } from './management.ts';
import { buildMetrics } from './metrics.ts';
import { openAccessLog } from './open-access-log.ts';
import { type OpenedReceiver, openReceiver } from './receiver.ts';
import { buildReload, type FollowedFiles, type Reload, type Reloading } from './reload.ts';
import { remarkOfReload } from './reload-remark.ts';
import { stopServing } from './stop-serving.ts';

export interface GatewayOptions extends CoreOptions {
  /** Reads the file again for a reload. Undefined: there is no file. */
  readonly load?: (() => Loaded<GatewayConfig>) | undefined;
  /** Reads the file for questions of operators, with no other effect. Undefined: there is no file. */
  readonly read?: (() => Loaded<GatewayConfig>) | undefined;
  /** Undefined: files are not watched. */
  readonly files?: FollowedFiles | undefined;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string | undefined;
  readonly healthUrl: string | undefined;
  /** The address where proxies ask. */
  readonly decisionUrl: string | undefined;
  /** HOST:PORT where Envoy asks by gRPC. */
  readonly grpcAddress: string | undefined;
  /** The address where authorization servers report logouts and events. */
  readonly receiverUrl: string | undefined;
  /** Loads the whole current file, or nothing. */
  readonly reload: Reload | undefined;
  /**
   * Becomes not ready at once. Resolves when all requests in flight have ended.
   * @param lastRequests milliseconds for which kept connections may bring another request; default 0
   */
  stop(lastRequests?: number): Promise<void>;
}

/** Builds a gateway and listens. Rejects with the listener's error if an address is taken. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { config } = options;
  const core = openCore(options);
  let management: Management | undefined;
  let asking: FastifyInstance | undefined;
  let grpc: GrpcListener | undefined;
  let receiver: OpenedReceiver | undefined;
  const closeAll = async () => {
    await Promise.all([management?.close(), asking?.close(), grpc?.close(), receiver?.close()]);
    core.stalls.close();
    await core.kept.close();
    await core.received?.close();
    await core.access?.close();
    await flushSpans();
  };
  try {
    await openAccessLog({ ...options, access: core.access });
    const reader = await chooseReader(config, core.log);
    const app = openProxy(core, config, reader);
    asking = config.decision && openDecisionEndpoint(core, config);
    grpc = openGrpc(core, config);
    const servers: Servers = [app, ...(asking === undefined ? [] : [asking])];
    const silent = servers.map(({ server }) => trackSilent(server));
    const stats = { success: 0, failure: 0, lastSuccessful: true, waiting: false, lastSuccess: core.clock.now() };
    const reload = options.load && reloader(core, { servers, grpc }, { ...options, load: options.load, stats });
    const registry = buildMetrics(core, stats, reader);
    const seen = watched(core, options, () => registry.getMetricsAsJSON());
    viewersMetric(registry, seen.hub);
    const health = {
      notReady: () => notReady(core),
      remark: () => remarkOfReload(stats) ?? remark(core),
      registry,
    };
    await startParts(core);
    management = await openManagement(health, core, { decisions: core.decisions, reload, console: seen });
    receiver = await openReceiver(core, registry);
    const decisionUrl = asking && config.decision && (await listen(asking, config.decision, 'decision'));
    const grpcAddress = grpc && config.decision_grpc && (await listenGrpc(grpc, config.decision_grpc));
    const url = withScheme(await listen(app, config.listen, 'listen'), config);
    const stop = async (milliseconds = 0) => {
      beginDraining(core);
      await stopServing({ servers, grpc, silent }, milliseconds);
      grpc = undefined;
      await closeAll();
    };
    const { port } = app.server.address() as AddressInfo;
    return { url, port, ...management.urls, decisionUrl, grpcAddress, receiverUrl: receiver?.url, reload, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function startParts({ received, live: { current } }: Core): Promise<void> {
  await received?.start();
  void current.verifiers.start();
  void current.schemes.start();
  await current.counters.start();
  await requireKeptNonces(current);
}

/** The console of a gateway that is one process. */
function watched(core: Core, options: GatewayOptions, metrics: ConsoleSources['metrics']): ConsoleParts {
  const source: ConsoleSources['source'] = { watch: (audiences) => sampler.watch(audiences) };
  const parts = consoleParts(core, options, { source, metrics });
  const sampler = new Sampler(core.decisions, core.clock, (batch) => parts.hub.receive(batch));
  return parts;
}

/** The server for clients, and the server for proxies that ask. */
type Servers = readonly [FastifyInstance, ...FastifyInstance[]];

type Reloader = Pick<Reloading, 'load' | 'files' | 'stats'> & { readonly config: GatewayConfig };

interface Listening {
  readonly servers: Servers;
  readonly grpc: GrpcListener | undefined;
}

function reloader(core: Core, { servers, grpc }: Listening, { config, load, files, stats }: Reloader): Reload {
  const { clock, log, live } = core;
  return buildReload({
    load,
    live,
    build: (loaded) => buildGeneration(loaded.config, { ...core, locate: loaded.locate }),
    ready: async (next) => {
      await warm(next);
      return keptNoncesProblems(next);
    },
    apply({ limits }) {
      for (const { server } of servers) applyLimits(server, limits);
      grpc?.applyLimits(limits);
    },
    renew: renewal(core, servers[0], config),
    files,
    stats,
    clock,
    log,
  });
}

async function listenGrpc({ server }: GrpcListener, address: Listen): Promise<string> {
  await listenAt(server, address, 'decision.grpc');
  const { address: host, port } = server.address() as AddressInfo;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Pointer, Position } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Counters } from '../../counters/counters.ts';
import { openCounters } from '../../counters/open.ts';
import type { Deadlines } from '../client/deadlines.ts';
import type { Shared } from '../client/exchange.ts';
import type { Stalls } from '../client/stalls.ts';
import { originReader } from '../client/trusted-proxies.ts';
import { crossOriginOf } from '../decide/cross-origin.ts';
import { buildEngine, type DecisionEngine } from '../decide/engine.ts';
import { protectedResources } from '../decide/protected-resources.ts';
import type { Route } from '../decide/route.ts';
import { varyOf } from '../decide/vary.ts';
import { Lease } from '../message/lease.ts';
import type { EventLog } from '../receiver/event-log.ts';
import { trustOf } from '../server-client/trust.ts';
import type { Decisions } from '../telemetry/decisions.ts';
import type { FullShares } from '../telemetry/full-shares.ts';
import { buildTickets } from '../telemetry/tickets.ts';
import { openTracing } from '../telemetry/tracing.ts';
import { openUpstream } from '../upstreams/open-upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { upstreamTrust } from '../upstreams/upstream-trust.ts';
import { openAuthorizationServer } from '../verify/open-authorization-server.ts';
import { type BearerVerifiers, buildVerifiers } from '../verify/verifiers.ts';
import { compileRoutes, compileUnrouted } from './compile.ts';
import { compileHealthPasses, type HealthPass } from './health-pass.ts';
import { openSchemes, type Schemes } from './open-schemes.ts';
import type { ReloadPool } from './reload-pool.ts';
import type { WorkerContext } from './worker-context.ts';

/** Everything that one loaded file becomes: routes, verifiers and connections. They live and end together. */
export interface Generation {
  readonly config: GatewayConfig;
  readonly engine: DecisionEngine;
  readonly routes: readonly Route[];
  readonly verifiers: BearerVerifiers;
  readonly schemes: Schemes;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly healthPasses: ReadonlyMap<string, HealthPass>;
  readonly counters: Counters;
  readonly shared: Shared;
  /** What the decisions of this file depend on, for `Vary` of an answer that a proxy may cache. */
  readonly decisionVary: string;
  /** Kept by each listener that uses this generation, by every exchange that began under it, and by every tunnel. */
  readonly lease: Lease;
  /** Ends as soon as another generation gets the new requests. */
  readonly term: Lease;
}

/** The generation for new requests. Each request keeps its generation until it ends. */
export interface LiveGeneration {
  readonly current: Generation;
  /** The configuration before the last reload. Undefined: there was none. */
  readonly replaced?: Replaced | undefined;
}

export interface Replaced {
  readonly config: GatewayConfig;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface GenerationDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly decisions: Decisions;
  readonly stalls: Stalls;
  readonly deadlines: Deadlines;
  readonly fullShares: FullShares;
  readonly kept: ReloadPool;
  /** What authorization servers reported. Undefined: this process receives nothing. */
  readonly received?: EventLog | undefined;
  readonly listener: Shared['listener'];
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
  /** The position of a value in the file. */
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
  /** Present in a worker. */
  readonly outside?: WorkerContext | undefined;
}

export function buildGeneration(config: GatewayConfig, dependencies: GenerationDependencies): Generation {
  const lease = new Lease();
  try {
    return build(config, dependencies, lease);
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** `locate` keeps the whole parsed file in memory. So it is used only here, and nothing that lives longer keeps it. */
function build(config: GatewayConfig, { locate, ...dependencies }: GenerationDependencies, lease: Lease): Generation {
  const { kept, outside } = dependencies;
  const verifiers = buildVerifiers(config, dependencies, (name, block, around) => {
    const trust = trustOf(block, dependencies);
    const remote = outside?.server(name);
    return kept.servers.take(lease, [name, block, around.development, trust, remote?.id], () =>
      openAuthorizationServer(name, block, { ...around, remote, budget: kept.signatures }, trust),
    );
  });
  const upstreams = openUpstreams(config, dependencies, lease);
  const resources = protectedResources(config);
  const { url } = config.counters;
  const countersTrusted = trustOf(config.counters, dependencies);
  const counters = kept.counters.take(lease, [url, countersTrusted], () =>
    outside !== undefined && url === 'memory'
      ? outside.counters
      : openCounters(url, { ...dependencies, trust: countersTrusted }),
  );
  const verifier = (names: readonly string[]) => verifiers.verifier(names);
  const ofGroup = { contents: outside?.contents, nonceStart: outside?.nonceStart };
  const schemes = openSchemes(config, { ...dependencies, counters, ...ofGroup }, lease);
  const tally = (route: string) => dependencies.decisions.tally(route);
  const { watch } = verifiers;
  const parts = { upstreams, verifier, watch, schemes: schemes.of, resources, take: counters.take, tally, locate };
  const routes = compileRoutes(config, parts);
  const shared = share(config, dependencies, lease);
  const unrouted = compileUnrouted(config, parts);
  return {
    config,
    engine: buildEngine({ routes, unrouted, resources, crossOrigin: shared.crossOrigin }),
    routes,
    verifiers,
    schemes,
    upstreams,
    healthPasses: compileHealthPasses(config, upstreams),
    counters,
    shared,
    decisionVary: varyOf(config.routes),
    lease,
    term: new Lease(),
  };
}

/** Upstreams with the files of their `tls`. New files make another upstream. */
function openUpstreams(
  { upstreams }: GatewayConfig,
  dependencies: GenerationDependencies,
  lease: Lease,
): ReadonlyMap<string, Upstream> {
  const named = Object.entries(upstreams).map(([name, block]) => {
    const trust = upstreamTrust(block.tls, dependencies);
    const open = () => openUpstream(name, block, { ...dependencies, trust, room: dependencies.kept.room });
    return [name, dependencies.kept.upstreams.take(lease, [name, block, trust], open)] as const;
  });
  return new Map(named);
}

function share(config: GatewayConfig, dependencies: GenerationDependencies, lease: Lease): Shared {
  const { clock, log, decisions, stalls, deadlines, listener, kept } = dependencies;
  const { ticket_keys } = config;
  return {
    clock,
    log,
    decisions,
    stalls,
    deadlines,
    bodies: kept.bodies,
    fullShares: dependencies.fullShares,
    listener,
    lease,
    tickets: kept.tickets.take(lease, ticket_keys ?? null, () => buildTickets(ticket_keys, clock)),
    tracing: openTracing(),
    limits: config.limits,
    originOf: originReader(config.trusted_proxies),
    isHostForwarded: config.is_host_forwarded,
    crossOrigin: crossOriginOf(config),
    requestIdHeader: config.request_id.header,
    requestIdHeaderLower: config.request_id.header.toLowerCase(),
  };
}

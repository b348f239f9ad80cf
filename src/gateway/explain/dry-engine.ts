import type { Loaded } from '../../config/load/load.ts';
import type { GatewayConfig, UpstreamConfig } from '../../config/schema/gateway.ts';
import { crossOriginOf } from '../decide/cross-origin.ts';
import { buildEngine, type DecisionEngine } from '../decide/engine.ts';
import { protectedResources } from '../decide/protected-resources.ts';
import type { Route } from '../decide/route.ts';
import { compileRoutes, compileUnrouted } from '../generation/compile.ts';
import type { VerifyBearer } from '../message/identity.ts';
import { tallies } from '../message/tally.ts';
import type { EngineChoice } from '../upstreams/engine-choice.ts';
import { Shares } from '../upstreams/shares.ts';
import { describeUpstream, hostSent, type Upstream } from '../upstreams/upstream.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { type AssumedPlace, assumedSchemes } from './assumed-schemes.ts';

export type CheckedGatewayFile = Extract<Loaded<GatewayConfig>, { ok: true }>;

/** `locate` may be missing if no one reads the positions. */
export type LocatedConfig = Pick<CheckedGatewayFile, 'config'> & Partial<Pick<CheckedGatewayFile, 'locate'>>;

/** The engine of a file without any network: it judges like the running gateway, and can forward nothing. */
export interface DryEngine {
  readonly engine: DecisionEngine;
  readonly routes: readonly Route[];
}

/** `users.directory`: where relative paths start. */
export function buildDryEngine(
  { config, locate }: LocatedConfig,
  verifier: (serverNames: readonly string[]) => VerifyBearer,
  users?: AssumedPlace,
): DryEngine {
  const resources = protectedResources(config);
  const parts = {
    upstreams: dryUpstreams(config),
    verifier,
    schemes: assumedSchemes(config, users),
    resources,
    take: () => 0,
    tally: tallies(),
    locate,
  };
  const routes = compileRoutes(config, parts);
  const cors = crossOriginOf(config);
  const unrouted = compileUnrouted(config, parts);
  return { engine: buildEngine({ routes, unrouted, resources, crossOrigin: cors }), routes };
}

function dryUpstreams({ upstreams }: GatewayConfig): ReadonlyMap<string, Upstream> {
  return new Map(Object.entries(upstreams).map(([name, block]) => [name, dryUpstream(name, block)]));
}

/** Counts each URL as healthy. */
function dryUpstream(name: string, block: UpstreamConfig): Upstream {
  const origins = block.urls.map((url) => dryOrigin(new URL(url), block));
  return {
    ...describeUpstream(name, block),
    origins,
    choose: () => origins[0],
    inFlight: 0,
    capacity: 1,
    connections: 1,
    shares: new Shares({ connections: 1, capacity: 1 }),
    retryAfter: () => 1,
    close: async () => {},
  };
}

function dryOrigin({ host: authority }: URL, block: UpstreamConfig): UpstreamUrl {
  const nothing = { serverName: undefined, digest: undefined, breaker: undefined, isProbed: false, isHealthy: true };
  const counts = { retries: 0, unhealthy: 0, opened: 0 };
  return { ...nothing, carrier: NO_CARRIER, host: hostSent(block.host, authority), authority, inFlight: 0, counts };
}

/** A decision never reads the engine. */
const NO_CARRIER = undefined as unknown as EngineChoice;

/** The scheme of a request that names none: the listener's own. */
export function defaultSecure({ listen }: GatewayConfig): boolean {
  return listen.tls !== undefined;
}

/** The host of a request that names none: the resource's host, or a host that no route names. */
export function defaultHost({ resource }: GatewayConfig): string {
  return resource === undefined ? 'localhost' : new URL(resource).host;
}

import type { Pool } from 'undici';
import type { GatewayConfig } from '../../config/gateway.ts';
import type { Loaded } from '../../config/load.ts';
import { crossOrigin } from '../decide/cross-origin.ts';
import { buildEngine, type Engine } from '../decide/engine.ts';
import { protectedResources } from '../decide/protected-resources.ts';
import { describeUpstream, type Upstream } from '../forward/upstream.ts';
import type { VerifyBearer } from '../identity.ts';
import { compileRoutes, compileUnrouted } from '../lifecycle/compile.ts';
import type { Route } from '../routing/route.ts';
import { assumedSchemes } from './assumed-schemes.ts';

export type Sound = Extract<Loaded<GatewayConfig>, { ok: true }>;

/** The engine of a file with nothing behind it: it judges as the running gateway would, and can forward nothing. */
export interface DryEngine {
  readonly engine: Engine;
  readonly routes: readonly Route[];
}

export function buildDryEngine(
  { config, locate }: Pick<Sound, 'config' | 'locate'>,
  verifier: (serverNames: readonly string[]) => VerifyBearer,
): DryEngine {
  const resources = protectedResources(config);
  const parts = {
    upstreams: dryUpstreams(config),
    verifier,
    schemes: assumedSchemes(config),
    resources,
    take: () => 0,
    locate,
  };
  const routes = compileRoutes(config, parts);
  const cors = crossOrigin(config.cors, config.request_id.header);
  const unrouted = compileUnrouted(config, parts);
  return { engine: buildEngine({ routes, unrouted, resources, crossOrigin: cors }), routes };
}

function dryUpstreams(config: GatewayConfig): ReadonlyMap<string, Upstream> {
  const entries = Object.entries(config.upstreams);
  return new Map(entries.map(([name, block]) => [name, { ...describeUpstream(name, block), pool: NO_POOL }]));
}

/** A decision never looks at it. */
const NO_POOL = undefined as unknown as Pool;

/** How a request comes that names no scheme: as the listener takes them. */
export function defaultSecure({ listen }: GatewayConfig): boolean {
  return listen.tls !== undefined;
}

/** The host of a request that names none: that of the resource, else one that no route asks for by name. */
export function defaultHost({ resource }: GatewayConfig): string {
  return resource === undefined ? 'localhost' : new URL(resource).host;
}

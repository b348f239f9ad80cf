import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { GatewayConfig } from '../config/gateway.ts';
import { compileRoutes, compileUnrouted } from './compile.ts';
import { crossOrigin } from './cross-origin.ts';
import { buildEngine, type Engine } from './engine.ts';
import { protectedResources } from './protected-resources.ts';
import type { Route } from './route.ts';
import { openUpstream, type Upstream } from './upstream.ts';
import { type BearerVerifiers, buildVerifiers } from './verifiers.ts';

/** Everything that one loaded file becomes: routes, verifiers and connections, with one life. */
export interface Generation {
  readonly engine: Engine;
  readonly routes: readonly Route[];
  readonly verifiers: BearerVerifiers;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  close(): Promise<void>;
}

export interface GenerationDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
}

export function buildGeneration(config: GatewayConfig, dependencies: GenerationDependencies): Generation {
  const verifiers = buildVerifiers(config, dependencies);
  const upstreams = new Map(
    Object.entries(config.upstreams).map(([name, upstream]) => [name, openUpstream(name, upstream)]),
  );
  const resources = protectedResources(config);
  const parts = { upstreams, verifier: (names: readonly string[]) => verifiers.verifier(names), resources };
  const routes = compileRoutes(config, parts);
  const cors = crossOrigin(config.cors, config.request_id.header);
  return {
    engine: buildEngine({ routes, unrouted: compileUnrouted(config, parts), resources, crossOrigin: cors }),
    routes,
    verifiers,
    upstreams,
    async close() {
      await Promise.all([verifiers.close(), ...[...upstreams.values()].map(({ pool }) => pool.destroy())]);
    },
  };
}

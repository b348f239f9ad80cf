import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { Met } from './callers.ts';
import { changedEndings } from './changed-endings.ts';
import { changedIdentity } from './changed-identity.ts';
import { changedLimits } from './changed-limits.ts';
import { changedMcp } from './changed-mcp.ts';
import { changedPasses } from './changed-passes.ts';
import { changedSchemes } from './changed-schemes.ts';
import type { CompiledFile } from './compiled-file.ts';

/** The route that had a request before, and the route that has it now. */
interface Pair {
  readonly before: RouteConfig;
  readonly after: RouteConfig;
}

/**
 * Collects the pairs of routes that have the same requests. A route may take over requests of a removed route, which had
 * a limit that the other route does not have.
 */
export class MetRoutes {
  readonly #pairs = new Map<string, Pair>();

  note(old: Met, now: Met): void {
    const [before, after] = [old.side.written(old.judged.route), now.side.written(now.judged.route)];
    if (before !== undefined && after !== undefined)
      this.#pairs.set(JSON.stringify([before.id, after.id]), { before, after });
  }

  /** What the routes do with the same requests, if it may give access and no probe tries it. */
  changed({ config: old }: CompiledFile, { config: now }: CompiledFile): readonly string[] {
    return [...this.#pairs.values()].flatMap((pair) => [
      ...keysOf(pair, old, now),
      ...(pair.before.id === pair.after.id ? [] : takenOver(pair, old, now)),
    ]);
  }
}

/** The judges that pair routes by their ids. */
const BY_ID = [changedLimits, changedMcp, changedEndings, changedPasses, changedIdentity, changedSchemes];

function takenOver({ before, after }: Pair, old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const [was, is] = [
    { ...old, routes: [{ ...before, id: after.id }] },
    { ...now, routes: [after] },
  ];
  return BY_ID.flatMap((changed) => changed(was, is)).map((what) => `${what} (these requests had route ${before.id})`);
}

type Judge = (before: Side, after: Side) => boolean;

interface Side {
  readonly config: GatewayConfig;
  readonly route: RouteConfig;
}

/** Key → whether its change may give access. */
const judges: Readonly<Record<string, Judge>> = {
  mode: (before, after) => modeOf(after) === 'shadow' && modeOf(before) !== 'shadow',
  upstream: (before, after) => upstreamOf(before) !== upstreamOf(after),
  rewrite: (before, after) => !isDeepStrictEqual(before.route.rewrite, after.route.rewrite),
  cors: (before, after) => !isDeepStrictEqual(before.route.cors, after.route.cors),
  forward_credential: (before, after) => after.route.forward_credential && !before.route.forward_credential,
  bearer_methods_supported: (before, after) => methodsOf(after).some((method) => !methodsOf(before).includes(method)),
  'limits.body': (before, after) => !isAtMost(bodyOf(after), bodyOf(before)),
};

function keysOf({ before, after }: Pair, old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const [was, is] = [
    { config: old, route: before },
    { config: now, route: after },
  ];
  return Object.entries(judges).flatMap(([key, judge]) => (judge(was, is) ? [`routes.${after.id}.${key}`] : []));
}

function upstreamOf({ config, route }: Side): string | undefined {
  return route.upstream ?? config.defaults.upstream;
}

function modeOf({ config, route }: Side): string {
  return route.mode ?? config.mode;
}

function methodsOf({ config, route }: Side): readonly string[] {
  return route.bearer_methods_supported ?? config.bearer_methods_supported;
}

type Size = GatewayConfig['limits']['body'];

function bodyOf({ config, route }: Side): Size {
  return route.limits?.body ?? config.limits.body;
}

/** `none` is more than any number. */
function isAtMost(one: Size, other: Size): boolean {
  return typeof other !== 'number' || (typeof one === 'number' && one <= other);
}

import { sayable } from '../known-keys.ts';
import { notAlone } from '../kubernetes/alone.ts';
import { routingLimits, sharedTables } from '../kubernetes/shared-limits.ts';
import { slotsMayMeet } from '../kubernetes/slots.ts';
import { type Concerning, type LimitedFile, ofRoute, type TargetLimits } from '../limits.ts';
import type { UnjudgedRoute } from '../plan.ts';

/** Gatehouse judges all routes but public ones with one plain path. */
export const gatewayApiLimits: TargetLimits = {
  tables: { ...sharedTables, route: { ...sharedTables.route, identity_headers: sayable } },
  servers: [],
  whole: (file) => [...routingLimits(file), ...askingLimits(file)],
  hasOwnOrder: true,
  own: { canJudge, mayMeet: slotsMayMeet },
};

function canJudge(route: UnjudgedRoute, all: readonly UnjudgedRoute[]): boolean {
  return route.access === 'public' && notAlone(route, all) === undefined;
}

const IDENTITY = {
  why: 'if the proxy asks Gatehouse over HTTP, objects of Gateway API cannot remove an identity header that the client forged',
  remedy: 'set `decision.grpc`, or use `--accept identity-headers` if the proxy is an Envoy',
  askable: false as const,
  accept: 'identity-headers',
};

const NO_DECISION = {
  why: 'the file has no `decision`, so the proxy cannot ask Gatehouse',
  remedy: 'set `decision`',
  askable: false as const,
};

function askingLimits({ config, routes }: LimitedFile): readonly Concerning[] {
  const asked = routes.filter((route) => !canJudge(route, routes));
  if (asked.length === 0) return [];
  if (config.decision === undefined)
    return asked.map((route) => ofRoute(route, ['routes', routes.indexOf(route)], NO_DECISION));
  if (config.decision_grpc !== undefined) return [];
  return [{ unsaid: { ...IDENTITY, pointer: ['decision'] }, routes: asked.map(({ id }) => id) }];
}

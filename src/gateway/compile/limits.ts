import type { Pointer } from '../../config/load/load.ts';
import type {
  AuthorizationServerConfig,
  GatewayConfig,
  RouteConfig,
  UpstreamConfig,
} from '../../config/schema/gateway.ts';
import type { KeyRules, Unsaid } from './known-keys.ts';
import type { CannotSay, UnjudgedRoute } from './plan.ts';
import type { MatchContext, RouteContext } from './route-rules.ts';

/** Rows of one target. A row replaces the general row of its key. */
export interface TargetTables {
  readonly file: Partial<KeyRules<GatewayConfig>>;
  readonly server: Partial<KeyRules<AuthorizationServerConfig, AuthorizationServerConfig>>;
  readonly upstream: Partial<KeyRules<UpstreamConfig, UpstreamConfig>>;
  readonly match: Partial<KeyRules<RouteConfig['match'], MatchContext>>;
  readonly route: Partial<KeyRules<RouteConfig, RouteContext>>;
}

/** A finding, and the ids of the routes that it concerns. */
export interface Concerning {
  readonly unsaid: Unsaid;
  readonly routes: readonly string[];
}

export interface LimitedFile {
  readonly config: GatewayConfig;
  /** In the order of the file. */
  readonly routes: readonly UnjudgedRoute[];
}

/** What one target cannot say. */
export interface TargetLimits {
  readonly tables: Partial<TargetTables>;
  /** Limits of every authorization server, whatever its keys are. */
  readonly servers: readonly CannotSay[];
  /** Limits that follow from several parts of the file. */
  readonly whole: (file: LimitedFile) => readonly Concerning[];
  /** The target matches paths in an order of its own, and `whole` has the rows about upstreams. */
  readonly hasOwnOrder: boolean;
  /**
   * The target judges only some routes itself, and Gatehouse judges the others. Then a rule that only Gatehouse can judge
   * is no finding.
   */
  readonly own?: OwnRoutes;
}

export interface OwnRoutes {
  readonly canJudge: (route: UnjudgedRoute, all: readonly UnjudgedRoute[]) => boolean;
  /** Whether a request for one can reach the other, so that leaving out one must leave out both. */
  readonly mayMeet: (one: UnjudgedRoute, other: UnjudgedRoute) => boolean;
}

export const noLimits: TargetLimits = { tables: {}, servers: [], whole: () => [], hasOwnOrder: false };

/** A finding about one route. */
export function ofRoute(route: UnjudgedRoute, pointer: Pointer, reason: CannotSay): Concerning {
  return { unsaid: { ...reason, pointer }, routes: [route.id] };
}

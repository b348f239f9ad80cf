import type {
  AuthorizationServerConfig,
  GatewayConfig,
  RouteConfig,
  UpstreamConfig,
} from '../../config/schema/gateway.ts';
import type { HostPattern } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import type { ScopeRequirement } from '../message/scope-requirement.ts';

/** What the rules of a file say, for a program that judges in place of the gateway. Each target renders this. */
export interface CompilePlan {
  readonly config: GatewayConfig;
  /** The folder of relative paths in the file. */
  readonly directory: string;
  readonly source: CompiledSource;
  /** In the order of matching, the most specific first. */
  readonly entries: readonly PlanEntry[];
  readonly routes: readonly PlannedRoute[];
  readonly servers: ReadonlyMap<string, PlannedServer>;
  /** Documents of RFC 9728. */
  readonly documents: readonly PlannedDocument[];
  readonly findings: readonly CompileFinding[];
  /** Differences that the operator has accepted by name. */
  readonly accepted: readonly CompileFinding[];
}

export interface CompiledSource {
  readonly file: string;
  /** SHA-256 of the file, in hex. */
  readonly hash: string;
  /** The file of keys for tests, whose tokens the output accepts too. Undefined: there is none. */
  readonly testKeys?: string | undefined;
}

/** here: the target judges. asked: the target asks Gatehouse. omitted: no request passes. */
export type Judged = 'here' | 'asked' | 'omitted';

export interface PlannedRoute {
  readonly id: string;
  /** FILE:LINE. */
  readonly at: string;
  readonly judged: Judged;
  readonly config: RouteConfig;
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  readonly caseSensitive: boolean;
  /** Undefined: every method. */
  readonly methods: readonly string[] | undefined;
  /** The number of conditions on headers, parameters and SOAP actions. */
  readonly conditions: number;
  readonly access: 'scope' | NonNullable<RouteConfig['access']>;
  readonly scope: ScopeRequirement | undefined;
  /** The names of the servers whose tokens the route accepts, each with the value that `aud` must contain. */
  readonly servers: ReadonlyMap<string, string | undefined>;
  readonly upstream: string;
  readonly upstreamConfig: UpstreamConfig;
  readonly identity: GatewayConfig['defaults']['identity_headers'];
}

/** Before it is known who judges the route. */
export type UnjudgedRoute = Omit<PlannedRoute, 'judged'>;

export interface PlannedServer {
  readonly name: string;
  readonly at: string;
  readonly config: AuthorizationServerConfig;
  /** The usable keys of `jwks_file`. Undefined: the target fetches the keys. */
  readonly keys: readonly object[] | undefined;
}

export interface PlannedDocument {
  readonly host: HostPattern | undefined;
  readonly path: string;
  readonly body: string;
}

/**
 * - `route`: requests that this route judges.
 * - `method`: the path of a route, with another method.
 */
export type PlanEntry =
  | { readonly kind: 'route'; readonly route: PlannedRoute }
  | { readonly kind: 'method'; readonly route: PlannedRoute; readonly allow: readonly string[] };

/** Why a part of the file has no exact counterpart in the target. */
export interface CannotSay {
  readonly why: string;
  readonly remedy: string;
  /** False: asking Gatehouse would not help, because the target itself does this part. True by default. */
  readonly askable?: false;
  /** The name under which `--accept` takes the difference. Undefined: no option accepts it. */
  readonly accept?: string;
}

export interface CompileFinding extends CannotSay {
  /** FILE:LINE. */
  readonly at: string;
  /** The part of the file, as a path of keys. */
  readonly what: string;
  /** The ids of the routes that it concerns. */
  readonly routes: readonly string[];
}

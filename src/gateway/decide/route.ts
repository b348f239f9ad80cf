import type { BearerMethod } from '../../config/schema/gateway.ts';
import type { HostPattern } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import type { VerifyBearer, WatchToken } from '../message/identity.ts';
import type { RouteTally } from '../message/tally.ts';
import type { MatchCondition } from '../routing/match-conditions.ts';
import type { Rewrite } from '../routing/rewrite.ts';
import type { RoutePattern } from '../routing/routes.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { DecisiveFields } from './framing.ts';
import type { IdentityHeaders } from './identity-headers.ts';
import type { PageOrigins } from './page-origins.ts';
import type { Requirements } from './permit.ts';
import type { RateLimit } from './rate-limit.ts';

/** `scope`: a valid token with the scope. The other values are those of the file. */
export type Access = 'public' | 'optional' | 'authenticated' | 'scope';

/**
 * One route of a loaded file, with everything that is needed to judge and forward a request. Members that every request
 * reads come first. Equal routes share the other objects: with thousands of routes, memory access is the slow part.
 */
export interface Route extends RoutePattern {
  readonly tally: RouteTally;
  readonly conditions: readonly MatchCondition[];
  readonly methods: ReadonlySet<string> | undefined;
  readonly access: Access;
  /** The route refuses nothing. It only records. */
  readonly shadow: boolean;
  /** Shadow mode, and no route to its upstream enforces. An ambiguous request then gives no additional access. */
  readonly onlyLooksOn: boolean;
  readonly keepEncodedSlashes: boolean;
  readonly keepParameters: boolean;
  readonly limits: RouteLimits;
  /** In the order of their challenges, without bearer tokens. */
  readonly schemes: readonly HttpScheme[];
  readonly bearerMethods: ReadonlySet<BearerMethod>;
  /** The pages that may call. Undefined: all. */
  readonly origins: PageOrigins | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly verify: VerifyBearer;
  readonly requirements: Requirements;
  readonly identityHeaders: IdentityHeaders;
  readonly rewrite: Rewrite | undefined;
  readonly forwardCredential: boolean;
  readonly upstream: Upstream;
  /** Whether an upload waits for its first bytes before it uses a connection. */
  readonly buffered: boolean;
  /** `end_with: token`. Undefined: open streams stay open. */
  readonly watch: WatchToken | undefined;
  readonly id: string;
  /** The position in the file, as file:line. */
  readonly at: string | undefined;
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  readonly caseSensitive: boolean;
  /** The upstream handles preflights and CORS headers itself. */
  readonly corsUpstream: boolean;
  /** The `resource_metadata` of its challenges (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined;
  readonly takesBearer: boolean;
  readonly realm: string;
  /** The folded names of headers that decide about its requests. */
  readonly decisive: DecisiveFields;
  /** Undefined: its bodies are no messages with rules. */
  readonly mcp: McpRoute<Route> | undefined;
}

/** Infinity means no limit. */
export interface RouteLimits {
  /** Milliseconds to the first byte of the upstream's answer, and between two bytes of it. */
  readonly response: number;
  readonly idle: number;
  /** Bytes of a request's body, and bytes of a form that may contain a token. */
  readonly body: number;
  readonly form: number;
}

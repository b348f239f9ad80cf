import type { BearerMethod } from '../../config/schema/gateway.ts';
import type { HostPattern } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import type { VerifyBearer, WatchToken } from '../message/identity.ts';
import type { RouteTally } from '../message/tally.ts';
import type { MatchCondition } from '../routing/match-conditions.ts';
import type { Rewrite } from '../routing/rewrite.ts';
import type { RoutePattern } from '../routing/routes.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { DecisiveFields } from './framing.ts';
import type { IdentityHeaders } from './identity-headers.ts';
import type { Requirements } from './permit.ts';
import type { RateLimit } from './rate-limit.ts';

/** `scope`: a valid token that carries the scope; the others as in the file. */
export type Access = 'public' | 'optional' | 'authenticated' | 'scope';

/**
 * One route of a loaded file, with all that judging and forwarding a request needs. Members that every request reads come
 * first. Equal routes share the rest: with thousands of routes, a request waits for memory.
 */
export interface Route extends RoutePattern {
  readonly tally: RouteTally;
  readonly conditions: readonly MatchCondition[];
  readonly methods: ReadonlySet<string> | undefined;
  readonly access: Access;
  /** Nothing is refused, only recorded. */
  readonly shadow: boolean;
  /** In shadow mode, and no route to its upstream enforces: a request that servers read in two ways opens nothing. */
  readonly onlyLooksOn: boolean;
  readonly keepEncodedSlashes: boolean;
  readonly keepParameters: boolean;
  readonly limits: RouteLimits;
  /** Without bearer tokens, in the order of their challenges. */
  readonly schemes: readonly HttpScheme[];
  readonly bearerMethods: ReadonlySet<BearerMethod>;
  readonly rateLimit: RateLimit | undefined;
  readonly verify: VerifyBearer;
  readonly requirements: Requirements;
  readonly identityHeaders: IdentityHeaders;
  readonly rewrite: Rewrite | undefined;
  readonly forwardCredential: boolean;
  readonly upstream: Upstream;
  /** Whether an upload waits for its first bytes before it takes a connection. */
  readonly buffered: boolean;
  /** `end_with: token`. Undefined: open streams stay open. */
  readonly watch: WatchToken | undefined;
  readonly id: string;
  /** Where it stands, as file:line. */
  readonly at: string | undefined;
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  readonly caseSensitive: boolean;
  /** Preflights and CORS headers are the upstream's own business. */
  readonly corsUpstream: boolean;
  /** `resource_metadata` of its challenges (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined;
  readonly takesBearer: boolean;
  readonly realm: string;
  /** Headers, folded, that decide about its requests. */
  readonly decisive: DecisiveFields;
}

/** Infinity: none. */
export interface RouteLimits {
  /** Milliseconds to the first byte of the upstream's answer, and between two bytes of it. */
  readonly response: number;
  readonly idle: number;
  /** Bytes of a request's body, and of a form that is read for its token. */
  readonly body: number;
  readonly form: number;
}

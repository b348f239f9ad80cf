import type { BearerMethod } from '../../config/gateway.ts';
import type { HostPattern } from '../../config/host-pattern.ts';
import type { PathSegment } from '../../config/path-pattern.ts';
import type { IdentityHeaders } from '../decide/identity-headers.ts';
import type { Requirements } from '../decide/permit.ts';
import type { RateLimit } from '../decide/rate-limit.ts';
import type { Upstream } from '../forward/upstream.ts';
import type { VerifyBearer } from '../identity.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { MatchCondition } from './match-conditions.ts';
import type { Rewrite } from './rewrite.ts';
import type { Placed } from './routes.ts';

/** `scope`: a valid token that carries the scope; the others as in the file. */
export type Access = 'public' | 'optional' | 'authenticated' | 'scope';

/** One route of a loaded file, with everything that judging and forwarding a request needs. */
export interface Route extends Placed {
  readonly id: string;
  /** Where it stands, as file:line. */
  readonly at: string | undefined;
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  readonly methods: ReadonlySet<string> | undefined;
  readonly conditions: readonly MatchCondition[];
  readonly caseSensitive: boolean;
  readonly access: Access;
  /** Nothing is refused, only recorded. */
  readonly shadow: boolean;
  /** Preflights and CORS headers are the upstream's own business. */
  readonly corsUpstream: boolean;
  readonly rewrite: Rewrite | undefined;
  /** `resource_metadata` of its challenges (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined;
  readonly requirements: Requirements;
  readonly verify: VerifyBearer;
  readonly takesBearer: boolean;
  /** Basic and Digest, in the order of their challenges. */
  readonly schemes: readonly HttpScheme[];
  readonly rateLimit: RateLimit | undefined;
  readonly realm: string;
  readonly bearerMethods: ReadonlySet<BearerMethod>;
  readonly forwardCredential: boolean;
  readonly keepEncodedSlashes: boolean;
  readonly keepParameters: boolean;
  readonly identityHeaders: IdentityHeaders;
  readonly upstream: Upstream;
  /** Milliseconds; Infinity: none. */
  readonly responseTimeout: number;
  readonly idleTimeout: number;
  /** Bytes; Infinity: none. */
  readonly bodyLimit: number;
  readonly formLimit: number;
}

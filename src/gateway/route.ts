import type { BearerMethod } from '../config/gateway.ts';
import type { PathSegment } from '../config/path-pattern.ts';
import type { VerifyBearer } from './identity.ts';
import type { IdentityHeaders } from './identity-headers.ts';
import type { Requirements } from './permit.ts';
import type { Placed } from './routes.ts';
import type { Upstream } from './upstream.ts';

/** `scope`: a valid token that carries the scope; the others as in the file. */
export type Access = 'public' | 'optional' | 'authenticated' | 'scope';

/** One route of a loaded file, with everything that judging and forwarding a request needs. */
export interface Route extends Placed {
  readonly id: string;
  readonly host: string | undefined;
  readonly segments: readonly PathSegment[];
  readonly methods: ReadonlySet<string> | undefined;
  readonly access: Access;
  readonly requirements: Requirements;
  readonly verify: VerifyBearer;
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

import type { Mismatch } from '../../base/mismatch.ts';
import type { CodeCause, Outage } from '../../base/verdict.ts';
import type { Code } from '../message/codes.ts';
import type { CacheState, Identity } from '../message/identity.ts';
import type { Route } from './route.ts';

/** What the gateway does with a request. The proxy carries it out. An outcome holds no socket. */
export type Outcome = Forward | Refuse | Unavailable | Reply;

export interface Forward {
  readonly kind: 'forward';
  readonly route: Route;
  /** Path and query for the upstream. */
  readonly target: string;
  /** Undefined: no identity, on a public route or an optional one without a token. */
  readonly identity: Identity | undefined;
  readonly identityHeaders: readonly string[];
  readonly cache: CacheState | undefined;
  /** `stream`: the body as it comes; a buffer: these bytes, which were read to be judged. */
  readonly body: 'stream' | Buffer;
  /** The body lost its token, so digests over it hold no longer. */
  readonly bodyChanged: boolean;
  /** Name, value, …: added to the answer, replacing the upstream's own. */
  readonly answerFields: readonly string[];
  /** RFC 6750 §2.3: a token in the query makes the answer private. */
  readonly privateResponse: boolean;
  /** Shadow mode: nothing was taken from the request, and this is what would have become of it. */
  readonly shadow: Refuse | Unavailable | 'pass' | undefined;
  /** In shadow mode, and no route to the upstream enforces: it gets the request as it came. */
  readonly asCame: boolean;
}

export interface Refuse {
  readonly kind: 'refuse';
  readonly code: Code;
  readonly route: Route | undefined;
  readonly challenges: readonly string[];
  /** Of 405. */
  readonly allow: readonly string[] | undefined;
  /** Seconds, of 429. */
  readonly retryAfter: number | undefined;
  readonly cache: CacheState | undefined;
  /** The verified identity of a refused request, if known. */
  readonly identity: Identity | undefined;
  /** For logs; sent only where answer/said.ts says so. */
  readonly detail: string | undefined;
  /** For logs, never sent: which claim of the token does not fit. */
  readonly mismatch: Mismatch | undefined;
  /** For `explain`. */
  readonly cause: CodeCause | undefined;
}

/** An answer of the gateway's own that is no refusal: a preflight's, or a document. */
export interface Reply {
  readonly kind: 'reply';
  readonly route: undefined;
  readonly status: 200 | 204;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string;
  /** For logs and `explain`: why a browser will not send what it asked for. */
  readonly reason: string | undefined;
}

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly code: Code;
  readonly route: Route | undefined;
  readonly outage: Outage;
}

export function refuse(code: Code, more: Partial<Omit<Refuse, 'kind' | 'code'>> = {}): Refuse {
  return {
    kind: 'refuse',
    code,
    route: more.route,
    challenges: more.challenges ?? [],
    allow: more.allow,
    retryAfter: more.retryAfter,
    cache: more.cache,
    identity: more.identity,
    detail: more.detail,
    mismatch: more.mismatch,
    cause: more.cause,
  };
}

import type { Mismatch } from '../../base/mismatch.ts';
import type { CodeCause, Outage } from '../../base/verdict.ts';
import type { Call } from '../mcp/call.ts';
import type { Code } from '../message/codes.ts';
import type { CacheState, Identity } from '../message/identity.ts';
import type { Route } from './route.ts';

/** What the gateway does with a request. The proxy carries it out. An outcome contains no socket. */
export type Outcome = Forward | Refuse | Unavailable | Reply;

export interface Forward {
  readonly kind: 'forward';
  readonly route: Route;
  /** Path and query for the upstream. */
  readonly target: string;
  /** Undefined on a public route, or on an optional one without a token. */
  readonly identity: Identity | undefined;
  readonly identityHeaders: readonly string[];
  readonly cache: CacheState | undefined;
  /** `stream`: the body as it arrives. A buffer: the bytes that the gateway read to judge them. */
  readonly body: 'stream' | Buffer;
  /** The gateway removed a token from the body, so hashes of the body no longer match. */
  readonly bodyChanged: boolean;
  /** Name, value, …: added to the answer, replacing the upstream's own. */
  readonly answerFields: readonly string[];
  /** RFC 6750 §2.3: a token in the query makes the answer private. */
  readonly privateResponse: boolean;
  /** In shadow mode, what enforcing would have done. Nothing was removed from the request. */
  readonly shadow: Refuse | Unavailable | 'pass' | undefined;
  /** Shadow mode, and no route to the upstream enforces. The upstream gets the request unchanged. */
  readonly asCame: boolean;
  /** For an `mcp` route: what changes in the request and the answer. */
  readonly mcp?: CallPlan | undefined;
  /** For an `mcp` route: the judged message. */
  readonly call?: Call | undefined;
}

/** How a request of an `mcp` route goes to the upstream. */
export interface CallPlan {
  readonly kind: 'call';
  /** The caller, for the ids of its session. */
  readonly owner: string;
  readonly call: Call | undefined;
  /** Fields of the client whose value changes. Undefined: the upstream does not get the field. */
  readonly replaced: ReadonlyMap<string, string | undefined>;
  /** The part of the answer that the gateway reads. */
  readonly reads: 'nothing' | 'head' | 'list' | 'stream';
}

export interface Refuse {
  readonly kind: 'refuse';
  readonly code: Code;
  readonly route: Route | undefined;
  readonly challenges: readonly string[];
  /** Only for a 405. */
  readonly allow: readonly string[] | undefined;
  /** Seconds, only for a 429. */
  readonly retryAfter: number | undefined;
  readonly cache: CacheState | undefined;
  /** The verified identity of a refused request, if known. */
  readonly identity: Identity | undefined;
  /** For logs. client/problem-members.ts decides whether the client gets it. */
  readonly detail: string | undefined;
  /** For logs, never sent: the claim of the token that does not match. */
  readonly mismatch: Mismatch | undefined;
  /** For `explain`. */
  readonly cause: CodeCause | undefined;
  /** For an `mcp` route: the refused message. */
  readonly call?: Call | undefined;
}

/** The gateway's own answer that is not a refusal: to a preflight, or a document. */
export interface Reply {
  readonly kind: 'reply';
  readonly route: undefined;
  readonly status: 200 | 204;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string;
  /** For logs and `explain`: why a browser will not send the request that its preflight announces. */
  readonly reason: string | undefined;
}

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly code: Code;
  readonly route: Route | undefined;
  readonly outage: Outage;
  /** For an `mcp` route: the message. */
  readonly call?: Call | undefined;
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

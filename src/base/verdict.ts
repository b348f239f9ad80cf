import type { Mismatch } from './mismatch.ts';

/**
 * The two results that stop a request. They are different values: a refusal is an answer about the request, and an outage is a
 * missing answer.
 */
export interface Refused<Code extends string = string> {
  readonly kind: 'refused';
  readonly code: Code;
  /** For logs and `explain`; never sent to the client. */
  readonly detail?: string;
  /** Also for logs and `explain`: the claim that makes a token invalid. */
  readonly mismatch?: Mismatch;
  /** For `explain`, so that it need not parse `detail`. */
  readonly cause?: CodeCause;
}

/** For codes with several causes: a required claim, a user's revoked key, a rewritten path. */
export type CodeCause = 'required_claims' | 'user_key' | 'rewrite';

export interface Outage {
  readonly kind: 'outage';
  /** The configuration name of the dependency that did not answer, such as `authorization_servers.main`. */
  readonly dependency: string;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number;
  /** For logs; never sent to the client. */
  readonly detail?: string;
}

export function refused<Code extends string>(code: Code, detail?: string, mismatch?: Mismatch): Refused<Code> {
  if (mismatch !== undefined) return { kind: 'refused', code, ...(detail !== undefined && { detail }), mismatch };
  return detail === undefined ? { kind: 'refused', code } : { kind: 'refused', code, detail };
}

export function outage(dependency: string, retryAfter: number, detail?: string): Outage {
  return detail === undefined
    ? { kind: 'outage', dependency, retryAfter }
    : { kind: 'outage', dependency, retryAfter, detail };
}

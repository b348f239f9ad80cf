import type { Mismatch } from './mismatch.ts';

/**
 * The two ways in which a request does not go through. They are values and never taken for each other:
 * a refusal is an answer about the request, an outage is the absence of an answer.
 */
export interface Refused<Code extends string = string> {
  readonly kind: 'refused';
  readonly code: Code;
  /** For logs and `explain`; never sent to the client. */
  readonly detail?: string;
  /** For the same: of a token, which claim does not fit. */
  readonly mismatch?: Mismatch;
  /** For `explain`, which must not read it from `detail`. */
  readonly cause?: CodeCause;
}

/** Where one code has several causes: a required claim, the key of a user that is revoked, a path that was rewritten. */
export type CodeCause = 'required_claims' | 'user_key' | 'rewrite';

export interface Outage {
  readonly kind: 'outage';
  /** The configuration name of what did not answer, such as `authorization_servers.main`. */
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

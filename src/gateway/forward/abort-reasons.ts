import { BodyTooLarge, ClientGone } from '../client/request-body.ts';
import { BodyTooSlow } from '../client/stalls.ts';
import type { Code } from '../message/codes.ts';
import { ConnectionBudgetFull } from '../upstreams/connection-budget.ts';
import { AnswersSaturated } from './answer-loan.ts';
import { upstreamFault } from './upstream-fault.ts';

/** The gateway sends this answer instead of the upstream's. */
export interface UpstreamRefusal {
  readonly code: Code;
  /** Only for logs, never for the client. */
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** The upstream sent nothing for longer than the route allows. `limit`: milliseconds. */
export class ResponseTimeout extends Error {
  constructor(limit: number, isQueued: boolean) {
    const within = `within ${limit / 1000} s (\`timeout.response\`)`;
    super(isQueued ? `the request got no connection ${within}` : `sent nothing ${within}`);
  }
}

/** The request waited for a connection. Its address used more than its share, so another address took the place. */
export class ConnectionYielded extends Error {
  constructor() {
    super(
      'the client address exceeds its share (`limits.share`), so it lost its place in the queue to a request of another address',
    );
  }
}

/** Why the gateway aborts a request before an answer begins, and what it answers the client. */
const causes = [
  { type: ClientGone, code: 'client_gone' },
  { type: BodyTooLarge, code: 'body_too_large' },
  { type: BodyTooSlow, code: 'request_timeout' },
  { type: ResponseTimeout, code: 'upstream_timeout' },
  { type: ConnectionYielded, code: 'upstream_saturated' },
  { type: AnswersSaturated, code: 'bodies_saturated' },
  { type: ConnectionBudgetFull, code: 'upstream_saturated' },
] as const;

/** Why the upstream's answer is missing or incomplete. */
export function abortCode(error: Error): Code | 'client_gone' {
  return ourReason(error) ?? upstreamFault(error);
}

/** Seconds, if the gateway chooses the delay. */
export function retryAfterOf(error: Error): number | undefined {
  return error instanceof ConnectionBudgetFull || error instanceof ConnectionYielded ? 1 : undefined;
}

/** Undefined: the connection to the upstream failed. */
export function ourReason(error: Error): Code | 'client_gone' | undefined {
  return causes.find(({ type }) => error instanceof type)?.code;
}

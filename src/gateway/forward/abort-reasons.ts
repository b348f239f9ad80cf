import { BodyTooLarge, ClientGone } from '../client/request-body.ts';
import { BodyTooSlow } from '../client/stalls.ts';
import type { Code } from '../message/codes.ts';
import { ConnectionBudgetFull } from '../upstreams/connection-budget.ts';
import { upstreamFault } from './upstream-fault.ts';

/** The gateway's answer, sent instead of the upstream's. */
export interface UpstreamRefusal {
  readonly code: Code;
  /** For logs; never sent to the client. */
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** The upstream kept silent for longer than the route allows. */
export class ResponseTimeout extends Error {}

/** It waited for a connection, and its address had more than its share of the places. */
export class ConnectionYielded extends Error {
  constructor() {
    super('its client address has more than its share (`limits.share`), and another address needed the place');
  }
}

/** The gateway's reasons to abort before an answer began, and the client's answer for each. */
const causes = [
  { type: ClientGone, code: 'client_gone' },
  { type: BodyTooLarge, code: 'body_too_large' },
  { type: BodyTooSlow, code: 'request_timeout' },
  { type: ResponseTimeout, code: 'upstream_timeout' },
  { type: ConnectionYielded, code: 'upstream_saturated' },
  { type: ConnectionBudgetFull, code: 'upstream_saturated' },
] as const;

/** Why there is no answer of the upstream's, or no whole one. */
export function abortCode(error: Error): Code | 'client_gone' {
  return ourReason(error) ?? upstreamFault(error);
}

/** Seconds, where it is for us to say. */
export function retryAfterOf(error: Error): number | undefined {
  return error instanceof ConnectionBudgetFull || error instanceof ConnectionYielded ? 1 : undefined;
}

/** Undefined: the connection to the upstream failed. */
export function ourReason(error: Error): Code | 'client_gone' | undefined {
  return causes.find(({ type }) => error instanceof type)?.code;
}

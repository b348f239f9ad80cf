import type { Code } from '../codes.ts';
import { NoRoom } from '../upstreams/room.ts';
import { BodyTooSlow } from './body-rate.ts';
import { BodyTooLarge, ClientGone } from './request-body.ts';

/** The upstream kept silent for longer than the route allows. */
export class ResponseTimeout extends Error {}

/** Reasons of ours for giving up before an answer began, and what the client is told. */
const causes = [
  { type: ClientGone, code: 'client_gone' },
  { type: BodyTooLarge, code: 'body_too_large' },
  { type: BodyTooSlow, code: 'request_timeout' },
  { type: ResponseTimeout, code: 'upstream_timeout' },
  { type: NoRoom, code: 'upstream_saturated' },
] as const;

/** Seconds, where it is for us to say. */
export function retryAfterOf(error: Error): number | undefined {
  return error instanceof NoRoom ? 1 : undefined;
}

/** Undefined: the connection to the upstream failed. */
export function ourReason(error: Error): Code | 'client_gone' | undefined {
  return causes.find(({ type }) => error instanceof type)?.code;
}

import type { Exchange } from '../client/exchange.ts';
import { challengesFor } from '../decide/challenges.ts';
import { type Forward, refuse } from '../decide/outcome.ts';
import type { StreamEnd } from '../message/identity.ts';

/** `end_with: token`: the client's token no longer gives access. */
export class TokenEnded extends Error {
  readonly why: StreamEnd;

  constructor(why: StreamEnd) {
    super(why);
    this.why = why;
  }
}

const NO_SCOPES: ReadonlySet<string> = new Set();

/**
 * Calls `end` when the token ends. Returns a function that stops the watch. Undefined: nothing here ends with a token.
 */
export function watchToken(
  { route, identity, shadow }: Forward,
  end: (error: TokenEnded) => void,
): (() => void) | undefined {
  if (route.watch === undefined || identity === undefined || shadow !== undefined) return undefined;
  return route.watch(identity, (why) => end(new TokenEnded(why)));
}

/** No answer has begun, so the gateway refuses this request like the client's next one. */
export function refuseEnded(exchange: Exchange, { route, identity }: Forward, code: StreamEnd): void {
  const challenges = challengesFor(route, exchange.head, code, NO_SCOPES);
  exchange.settle(
    refuse(code, { route, challenges, identity, detail: 'the token ended while the request was forwarded' }),
  );
}

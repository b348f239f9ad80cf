import type { Exchange } from '../client/exchange.ts';
import { challengesFor } from '../decide/challenges.ts';
import { type Forward, refuse } from '../decide/outcome.ts';
import type { StreamEnd } from '../message/identity.ts';

/** `end_with: token`: the leave that the client had is over. */
export class TokenEnded extends Error {
  readonly why: StreamEnd;

  constructor(why: StreamEnd) {
    super(why);
    this.why = why;
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** Calls `end` when the token ends; gives the way out. Undefined: nothing ends with a token here. */
export function watchToken(
  { route, identity, shadow }: Forward,
  end: (error: TokenEnded) => void,
): (() => void) | undefined {
  if (route.watch === undefined || identity === undefined || shadow !== undefined) return undefined;
  return route.watch(identity, (why) => end(new TokenEnded(why)));
}

/** Nothing was answered yet: the request is refused as the next one will be. */
export function refuseEnded(exchange: Exchange, { route, identity }: Forward, code: StreamEnd): void {
  const challenges = challengesFor(route, exchange.head, code, NOBODY);
  exchange.settle(refuse(code, { route, challenges, identity, detail: 'while it was forwarded' }));
}

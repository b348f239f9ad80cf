import { difference } from './near-miss.ts';
import { quoted, quotedAny } from './quoted.ts';

/**
 * What does not fit in a token that is refused: for logs, tickets and `explain`, and never for the client. Each text is
 * one line of bounded length in which nothing steers a terminal, since `found` holds the words of the sender of the token.
 */
export interface Mismatch {
  /** `iss`, `alg`, …; of a required claim its path in the file. */
  readonly claim: string;
  readonly found: string;
  readonly expected: string;
  /** How the two differ, where that can be said in a few words. */
  readonly difference?: string;
}

/** For a value that must be one of these. */
export function mismatchOf(claim: string, found: unknown, expected: readonly string[]): Mismatch {
  return mismatch(claim, quoted(found), quotedAny(expected), difference(found, expected));
}

/** `found` and `expected` are written as they are: quote what a token holds. */
export function mismatch(claim: string, found: string, expected: string, differs?: string): Mismatch {
  return differs === undefined ? { claim, found, expected } : { claim, found, expected, difference: differs };
}

import { difference } from './near-miss.ts';
import { quoted, quotedAny } from './quoted.ts';

/**
 * The claim that makes the gateway reject a token, for logs, tickets and `explain`, and never for the client. `found` has text
 * of the token's sender. So each text is one line of bounded length, without control characters.
 */
export interface Mismatch {
  /** `iss`, `alg`, …; for a required claim, its path in the file. */
  readonly claim: string;
  readonly found: string;
  readonly expected: string;
  /** The difference between the two, if a few words can describe it. */
  readonly difference?: string;
}

/** For a value that must be one of several. */
export function mismatchOf(claim: string, found: unknown, expected: readonly string[]): Mismatch {
  return mismatch(claim, quoted(found), quotedAny(expected), difference(found, expected));
}

/** `found` and `expected` are written unchanged: quote values of a token. */
export function mismatch(claim: string, found: string, expected: string, differs?: string): Mismatch {
  return differs === undefined ? { claim, found, expected } : { claim, found, expected, difference: differs };
}

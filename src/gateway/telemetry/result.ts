/** Decisions of one kind each, counted. */
export interface Totals {
  readonly passed: number;
  readonly refused: number;
  readonly failed: number;
}

export type Result = keyof Totals;

export const NO_TOTALS: Totals = Object.freeze({ passed: 0, refused: 0, failed: 0 });

/**
 * What became of a request, for counts and colors. Failed: an outage, a failure of the upstream, or a client that left before its
 * answer. `console-page/result.js` has the same rule.
 *
 * @param status the status of the answer; 0: no answer began
 */
export function resultOf(code: string, status: number): Result {
  if (status >= 500 || code === 'client_gone') return 'failed';
  return code === 'forwarded' || code === 'answered' ? 'passed' : 'refused';
}

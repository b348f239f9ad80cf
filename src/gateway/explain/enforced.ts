import type { Outcome } from '../decide/outcome.ts';

/** What enforcing would have made of a request: a test is about the rules, whether they only look on or not. */
export function enforced(outcome: Outcome): Outcome {
  return outcome.kind === 'forward' && typeof outcome.shadow === 'object' ? outcome.shadow : outcome;
}

import type { Outcome } from '../decide/outcome.ts';

/** The result if the route enforced. A test checks the rules, whether they are in shadow mode or not. */
export function enforced(outcome: Outcome): Outcome {
  return outcome.kind === 'forward' && typeof outcome.shadow === 'object' ? outcome.shadow : outcome;
}

import type { Party } from './party.ts';

/** One module of the suite of the OpenID Foundation. */
export interface PlanModule {
  readonly name: string;
  /** The section that says the rule. */
  readonly section: string;
  /** What is right, in one sentence. */
  readonly judges: string;
  readonly run: (party: Party) => Promise<void>;
}

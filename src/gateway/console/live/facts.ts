import { stepOf } from '../../message/codes.ts';
import { callFacts } from '../../telemetry/call-facts.ts';
import { type Decision, type DecisionRecord, recordedIdentity } from '../../telemetry/decision-record.ts';
import { pathOf } from '../../telemetry/without-tokens.ts';

/** Gives a fact of one decision as text. Undefined: the decision does not have this fact. */
export type FactOf = (name: FactName) => string | undefined;

export type FactName = keyof typeof facts;

/** The facts that a filter can name. Each has the name of its member in the decision record. */
const facts = {
  route: ({ outcome }: Decision) => outcome?.route?.id || undefined,
  status: ({ status }: Decision) => (status === undefined ? undefined : String(status)),
  code: ({ code }: Decision) => code,
  step: ({ code }: Decision) => stepOf(code),
  method: ({ head }: Decision) => head.method,
  host: ({ head }: Decision) => head.host?.value,
  path: ({ head }: Decision) => pathOf(head),
  address: ({ head }: Decision) => head.origin.address,
  client: ({ outcome }: Decision) => recordedIdentity(outcome)?.clientId,
  subject: ({ outcome }: Decision) => recordedIdentity(outcome)?.subject,
  mcp_method: ({ outcome }: Decision) => callFacts(outcome).mcp_method,
  mcp_name: ({ outcome }: Decision) => callFacts(outcome).mcp_name,
} as const;

export const factNames = Object.keys(facts) as readonly FactName[];

/** The facts of a decision that is not yet written down. A fact is worked out only if a filter asks for it. */
export function factsOf(decision: Decision): FactOf {
  return (name) => facts[name](decision);
}

/** The same facts, of a written record. */
export function factsIn(record: Partial<DecisionRecord>): FactOf {
  return (name) => {
    const value = record[name];
    return value === undefined ? undefined : String(value);
  };
}

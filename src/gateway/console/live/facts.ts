import { stepOf } from '../../message/codes.ts';
import { callFacts } from '../../telemetry/call-facts.ts';
import { type Decision, type DecisionRecord, recordedIdentity } from '../../telemetry/decision-record.ts';
import { pathOf } from '../../telemetry/without-tokens.ts';

/** Reads a fact as text. Undefined: there is no such fact. */
type Read<Source> = (source: Source) => string | undefined;

/** How the facts of a decision are read, in one of its forms. */
export type FactReaders<Source> = Readonly<Record<FactName, Read<Source>>>;

export type FactName = keyof typeof decisionFacts;

/**
 * The facts that a filter can name, of a decision that is not yet written down. Each has the name of its member in the decision record.
 */
export const decisionFacts = {
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

export const factNames = Object.keys(decisionFacts) as readonly FactName[];

/** The same facts, of a written record. */
export const recordFacts = Object.fromEntries(
  factNames.map((name) => [name, (record: Partial<DecisionRecord>) => textOf(record[name])]),
) as FactReaders<Partial<DecisionRecord>>;

function textOf(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

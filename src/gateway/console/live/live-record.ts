import { printableMembers } from '../../../base/printable.ts';
import { enforced } from '../../explain/enforced.ts';
import { type ExplainedStep, stepsOf } from '../../explain/explained-steps.ts';
import { entry, isCode } from '../../message/codes.ts';
import { type Decision, type DecisionRecord, describeDecision } from '../../telemetry/decision-record.ts';
import { pathOf } from '../../telemetry/without-tokens.ts';

/** A decision for the live view: the record of the log, with the steps of the decision. It has no credential and no query. */
export interface LiveRecord extends DecisionRecord {
  /** Milliseconds since the epoch, when the answer ended. */
  readonly time: number;
  /** The position of the route in the file, as file:line. */
  readonly at?: string;
  readonly steps: readonly ExplainedStep[];
}

export function liveRecord(decision: Decision, time: number): LiveRecord {
  const at = decision.outcome?.route?.at;
  const record = describeDecision(decision);
  return {
    ...record,
    path: cut(record.path),
    time,
    ...(at !== undefined && { at }),
    steps: liveSteps(decision).map(printableMembers),
  };
}

/** Characters of a path, which a client chooses. */
const LONGEST = 1024;

function cut(path: string): string {
  return path.length > LONGEST ? `${path.slice(0, LONGEST)}…` : path;
}

/** The same steps as `explain` shows. Empty: the request ended before the engine decided. */
function liveSteps({ code, outcome, head }: Decision): readonly ExplainedStep[] {
  if (outcome === undefined) return [];
  const seen = enforced(outcome);
  const { route } = outcome;
  const steps = stepsOf(
    { place: (key) => (key.length === 0 ? undefined : route?.at), target: (target) => cut(pathOf({ target })) },
    { head, route, outcome },
    seen,
  );
  return seen.kind === 'forward' && isCode(code) ? failedLast(steps, entry(code).text) : steps;
}

/** The gateway forwarded the request, and did not get an answer. */
function failedLast(steps: readonly ExplainedStep[], text: string): readonly ExplainedStep[] {
  return steps.map((step) => (step.step === 'forward' ? { ...step, verdict: 'unavailable', detail: text } : step));
}

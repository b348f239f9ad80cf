import { gist } from '../../flows/asked-by.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import type { Seen } from '../../support/witness.ts';
import type { CompileCase } from './case.ts';
import type { Reached } from './reached.ts';

/** A difference that is right. Its pattern matches `CASE: NAME BEFORE → AFTER`. */
export interface Exception {
  readonly is: RegExp;
  readonly why: string;
}

/** What may differ between the gateway and a proxy. */
export interface Exceptions {
  /** In a request that both forward. */
  readonly changed: readonly Exception[];
  /** Requests that only the gateway forwards. */
  readonly narrower: readonly Exception[];
  /** In an answer. */
  readonly answers: readonly Exception[];
}

export interface Compared {
  /** Envoy forwarded what the gateway refused. */
  readonly wider: readonly string[];
  /** Both forwarded, but not the same. */
  readonly changed: readonly string[];
  /** Only the gateway forwarded. */
  readonly narrower: readonly string[];
  /** Both forwarded or both refused, but the client got another answer. */
  readonly answers: readonly string[];
  readonly both: number;
}

export type Parts = Readonly<Record<string, unknown>>;

/** The parts of an answer that must be the same. `isOwn`: no upstream gave it. */
export type AnswerParts = (response: RawResponse, isOwn: boolean) => Parts;

/** What went through a proxy, beside what the gateway forwarded itself. */
export function compareReached(
  cases: readonly CompileCase[],
  direct: Reached,
  through: Reached,
  parts: AnswerParts = gist,
): Compared {
  const name = (index: string) => cases[Number(index)]?.name ?? index;
  const status = ({ answers }: Reached, index: string) => answers.get(index)?.status;
  const told = (index: string) => `${name(index)}: ${status(direct, index)} → ${status(through, index)}`;
  const both = [...through.seen.keys()].filter((index) => direct.seen.has(index));
  const alike = [...direct.answers.keys()].filter((index) => direct.seen.has(index) === through.seen.has(index));
  const answered = ({ answers, seen }: Reached, index: string): Parts => {
    const response = answers.get(index);
    return response === undefined ? { status: 'none' } : parts(response, !seen.has(index));
  };
  const named = (index: string, found: readonly string[]) => found.map((each) => `${name(index)}: ${each}`);
  return {
    wider: [...through.seen.keys()].filter((index) => !direct.seen.has(index)).map(told),
    changed: both.flatMap((index) => named(index, differences(sent(direct, index), sent(through, index)))),
    narrower: [...direct.seen.keys()].filter((index) => !through.seen.has(index)).map(told),
    answers: alike.flatMap((index) => named(index, differences(answered(direct, index), answered(through, index)))),
    both: both.length,
  };
}

/** A request as an upstream got it, and how often. */
function sent({ seen, times }: Reached, index: string): Parts {
  const one = seen.get(index);
  return { ...(one && messageParts(one)), times: times.get(index) };
}

/** Every header. Envoy joins the lines of a field, which is the same field (RFC 9110 §5.3). */
export function messageParts({ method, target, hash, rawHeaders }: Seen): Parts {
  const parts: Record<string, unknown> = { method, target, body: hash };
  for (const [at, name] of rawHeaders.entries()) {
    if (at % 2 === 1) continue;
    const [key, value] = [`header ${name.toLowerCase()}`, rawHeaders[at + 1]];
    parts[key] = parts[key] === undefined ? value : `${parts[key]},${value}`;
  }
  return parts;
}

/** `NAME BEFORE → AFTER`. */
export function differences(before: Parts, after: Parts): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const told = (value: unknown) => (value === undefined ? 'none' : String(value));
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${told(before[name])} → ${told(after[name])}`);
}

export interface Faults extends Omit<Compared, 'both'> {
  readonly unused: readonly string[];
}

/** What has no reason, and the reasons that no case needs. A right proxy has neither. */
export function faultsIn(found: Compared, exceptions: Exceptions): Faults {
  const used = new Set<Exception>();
  const left = (kind: keyof Exceptions) =>
    found[kind].filter((text) => {
      const exception = exceptions[kind].find(({ is }) => is.test(text));
      if (exception !== undefined) used.add(exception);
      return exception === undefined;
    });
  const [changed, narrower, answers] = [left('changed'), left('narrower'), left('answers')];
  const all = Object.values(exceptions).flat() as readonly Exception[];
  const unused = all.filter((each) => !used.has(each)).map(({ is, why }) => `${is}: ${why}`);
  return { wider: found.wider, changed, narrower, answers, unused };
}

/** Of a right proxy. */
export const NO_FAULTS: Faults = { wider: [], changed: [], narrower: [], answers: [], unused: [] };

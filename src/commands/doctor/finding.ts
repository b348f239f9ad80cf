import { printableValue } from '../../base/printable.ts';

/** good: fine. doubtful: perhaps intended, or will soon be bad. bad: it does not work. */
export type Verdict = 'good' | 'doubtful' | 'bad';

/** The result of one probe. */
export interface Seen {
  readonly verdict: Verdict;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** A more precise subject than the probe's own. */
  readonly about?: string;
}

export interface DoctorFinding extends Seen {
  /** The name of the check in the table. */
  readonly check: string;
  /** The subject of the probe. */
  readonly about: string;
}

/** One probe of one subject. `signal`: aborts at the deadline. */
export interface DoctorProbe {
  readonly about: string;
  readonly look: (signal: AbortSignal) => Seen | readonly Seen[] | Promise<Seen | readonly Seen[]>;
}

export function good(message: string): Seen {
  return { verdict: 'good', message };
}

export function doubtful(message: string, remedy: string): Seen {
  return { verdict: 'doubtful', message, remedy };
}

export function bad(message: string, remedy: string): Seen {
  return { verdict: 'bad', message, remedy };
}

/** Milliseconds for any probe. */
export const PROBE_DEADLINE = 3_000;

const marks: Readonly<Record<Verdict, string>> = { good: '✓', doubtful: '!', bad: '✗' };

/** One line for each finding, and the number of findings that are not fine. */
export function findingsInWords(findings: readonly DoctorFinding[]): string {
  const count = (verdict: Verdict) => findings.filter((each) => each.verdict === verdict).length;
  const last = `${findings.length} checks: ${count('bad')} ✗, ${count('doubtful')} !`;
  return `${[...findings.map(line), last].map(printableValue).join('\n')}\n`;
}

function line({ verdict, about, message, remedy }: DoctorFinding): string {
  return `${marks[verdict]} ${about}: ${message}${remedy === undefined ? '' : ` → ${remedy}`}`;
}

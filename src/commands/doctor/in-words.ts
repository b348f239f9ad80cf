import { printable } from '../printable.ts';
import type { Finding, Verdict } from './finding.ts';

const marks: Readonly<Record<Verdict, string>> = { good: '✓', doubtful: '!', bad: '✗' };

/** A line each, and how many are not well. */
export function inWords(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter((each) => each.verdict === verdict).length;
  const last = `${findings.length} looked at: ${count('bad')} ✗, ${count('doubtful')} !`;
  return `${[...findings.map(line), last].map(printable).join('\n')}\n`;
}

function line({ verdict, about, message, remedy }: Finding): string {
  return `${marks[verdict]} ${about}: ${message}${remedy === undefined ? '' : ` → ${remedy}`}`;
}

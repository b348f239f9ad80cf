import { printableValue } from '../../base/printable.ts';
import { entry, isCode } from '../../gateway/message/codes.ts';
import { callerOf } from '../../gateway/shadow/caller.ts';
import type { InSpite } from '../../gateway/shadow/in-spite.ts';
import { remedies, times } from '../../gateway/shadow/remedy.ts';
import type { BadLines, Group, ShadowReport, Span } from '../../gateway/shadow/report.ts';
import { DAY_IN_MS, LONG } from '../common/forgotten-shadow.ts';
import { changeInWords } from './change-in-words.ts';

export function shadowReportInWords({
  groups,
  refused,
  passed,
  bad,
  leftOut,
  changes,
  inSpite,
  span,
}: ShadowReport): string {
  const told = passed === 0 ? '' : `, ${times(passed)} would pass`;
  const summary = `${times(refused)} would be refused${told}.\n${forgotten(span)}${leftOutInWords(leftOut)}${badInWords(bad)}`;
  const parts = [
    ...groups.map(groupInWords),
    ...section('Enforcement changes these requests:', changes.map(changeInWords)),
    ...section('Rejected despite shadow mode:', inSpite.map(inSpiteInWords)),
    ...(groups.length === 0 ? [] : [`To let the refused requests pass:\n\n${remedies(groups)}`]),
  ];
  return parts.length === 0 ? summary : `${summary}\n${parts.join('\n')}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `  ${printableValue(line)}\n`).join('')}`];
}

function forgotten(span: Span | undefined): string {
  const days = span === undefined ? 0 : Math.floor((span.last - span.first) / DAY_IN_MS);
  return days < LONG
    ? ''
    : `The log covers ${days} days of shadow mode, which refuses nothing. Did you forget to enforce?\n`;
}

function groupInWords(group: Group): string {
  const { route, operation, code, reason, missing, count, first, last, examples } = group;
  const why = [code, missing && `missing ${missing}`, reason].filter(Boolean).join(', ');
  return `${[
    `${count} × ${whose(group)} → ${[route ?? 'no route', operation].filter(Boolean).join(' ')}: ${why}`,
    ...(group.callers.first.length > 1 ? callersInWords(group) : []),
    `    ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`,
    ...[...examples].map((example) => `    ${example}`),
  ]
    .map(printableValue)
    .join('\n')}\n`;
}

function whose({ client, callers: { first }, subjects }: Group): string {
  if (client !== undefined) return client;
  const [caller] = first;
  if (first.length > 1) return 'no known client';
  const name = caller && callerOf({ client, ...caller });
  return name ?? (subjects.size > 0 ? [...subjects].join(', ') : 'no verified caller');
}

function callersInWords({ callers: { first, others } }: Group): readonly string[] {
  const lines = first
    .toSorted((one, other) => other.count - one.count)
    .map(({ count, ...caller }) => `    ${count} × ${callerOf({ client: undefined, ...caller })}`);
  return others === 0 ? lines : [...lines, `    ${others} × other callers`];
}

function inSpiteInWords({ code, route, address, count }: InSpite): string {
  const from = address === undefined ? '' : ` from ${address}`;
  return `${count} × ${code}${from} → ${route ?? 'no route'}: ${isCode(code) ? entry(code).remedy : 'see the log'}`;
}

function leftOutInWords(count: number): string {
  return count === 0
    ? ''
    : `The groups below leave out ${times(count)} that would be refused: there are too many groups.\n`;
}

/** A warning only, because a log also has lines of other programs. */
function badInWords({ count, lines }: BadLines): string {
  if (count === 0) return '';
  const named = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
  return `${count === 1 ? '1 line is not a JSON decision, and is' : `${count} lines are not JSON decisions, and are`} skipped: ${named}\n`;
}

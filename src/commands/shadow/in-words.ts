import { printableValue } from '../../base/printable.ts';
import { remedies, times } from './remedy.ts';
import type { BadLines, Group, Report } from './report.ts';

export function inWords({ groups, refused, passed, bad }: Report): string {
  const told = passed === 0 ? '' : `, ${times(passed)} would pass`;
  const summary = `${times(refused)} would be refused${told}.\n${badInWords(bad)}`;
  if (groups.length === 0) return summary;
  return `${summary}\n${groups.map(groupInWords).join('\n')}\nWhat would let them pass:\n\n${remedies(groups)}`;
}

function groupInWords({ client, route, code, reason, missing, count, first, last, examples, subjects }: Group): string {
  const who = client ?? (subjects.size > 0 ? [...subjects].join(', ') : 'nobody verified');
  const why = [code, missing && `missing ${missing}`, reason].filter(Boolean).join(', ');
  return `${[
    `${count} × ${who} → ${route ?? 'no route'}: ${why}`,
    `    ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`,
    ...[...examples].map((example) => `    ${example}`),
  ]
    .map(printableValue)
    .join('\n')}\n`;
}

/** Never fatal: a log has lines of others in it. */
function badInWords({ count, lines }: BadLines): string {
  if (count === 0) return '';
  const named = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
  return `${count === 1 ? '1 line is' : `${count} lines are`} no JSON of a decision and left out: ${named}\n`;
}

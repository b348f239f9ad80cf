import type { GatewayReport } from './bench.ts';
import { barTable, circumstances, partTable, type Table } from './table.ts';
import { surroundingsInWords } from './text.ts';

const BEGIN = '<!-- figures: made by `npm run bench -- figures`, do not edit -->';
const END = '<!-- end of figures -->';

/** The page with these figures between its two marks. */
export function withFigures(page: string, report: GatewayReport): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page has no place for figures: ${BEGIN} … ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${figures(report)}\n\n${page.slice(to)}`;
}

function figures({ parts, surroundings }: GatewayReport): string {
  return [
    `${surroundingsInWords(surroundings)}.`,
    rows(barTable(parts.flatMap(({ bars }) => bars))),
    ...parts.flatMap((part) => [`### ${part.name}`, part.about, rows(partTable(part)), `${circumstances(part)}.`]),
  ].join('\n\n');
}

function rows([titles = [], ...rest]: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(titles), `|${titles.map(() => '---|').join('')}`, ...rest.map(line)].join('\n');
}

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const RECORD = /^# (\d+)\. (.+)\n\nDate: (\S{10}).*\nStatus: (.+)\n/;

/** docs/decisions/README.md: every record, with its date and status. */
export function decisionsPage(): string {
  return [
    '# Decisions',
    '<!-- Made by `npm run generate` from the records in this folder: do not edit. -->',
    'This page lists every decision that had good alternatives. Each record says what was decided, why, and what else was considered.',
    ['| decisions | date | status |', '|---|---|---|', ...globSync('docs/decisions/0*.md').sort().map(row)].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function row(file: string): string {
  const [found, number = '', title = '', date = '', status = ''] = RECORD.exec(readFileSync(file, 'utf8')) ?? [];
  if (found === undefined) throw new Error(`${file}: no title, date and status at its beginning`);
  return `| [${number}. ${title}](${basename(file)}) | ${date} | ${status} |`;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const folder = new URL('../../docs/decisions/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file !== 'README.md')
  .sort();
const records = files.map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));

const DAY = '20\\d\\d-[01]\\d-[0-3]\\d';
const RECORD = '\\[\\d+\\]\\(\\d{4}-[a-z0-9-]+\\.md\\)';
const HEADER = new RegExp(
  [
    `^Date: ${DAY}(, amended ${DAY})*`,
    `Status: (accepted|superseded by ${RECORD}|accepted, in part superseded by ${RECORD}( and ${RECORD})*)`,
    '',
  ].join('\n'),
);

/** Targets of the links to our files. */
function linked(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.map((target) => target.replace(/#.*/, '')).filter((path) => path !== '' && !/^[a-z]+:/.test(path));
}

t.test('every decision has a unique number, which its title repeats', async (t) => {
  t.ok(files.length > 0);
  for (const { file, text } of records) {
    const [, number = ''] = /^(\d{4})-[a-z0-9-]+\.md$/.exec(file) ?? [];
    t.match(text, new RegExp(`^# ${Number(number)}\\. \\S.*\\n\\n`), file);
  }
  t.strictSame(
    files.map((file) => Number(file.slice(0, 4))),
    files.map((_, index) => index + 1),
  );
});

t.test('every decision has its date and status under its title', async (t) => {
  for (const { file, text } of records) t.match(text.split('\n').slice(2, 5).join('\n'), HEADER, file);
});

t.test('every decision ends with its alternatives, each with a reason', async (t) => {
  for (const { file, text } of records) {
    const [heading, ...entries] = (text.split(/^## /m).at(-1) ?? '').split(/^- /m);
    t.equal(heading?.trim(), 'Alternatives', file);
    t.ok(entries.length > 0, file);
    for (const entry of entries) t.match(entry.replaceAll('\n', ' '), /^\*\*[^*]+\*\*.{15,}/, `${file}: ${entry}`);
  }
});

t.test('every file that a decision links to exists', async (t) => {
  for (const { file, text } of records)
    for (const target of linked(text)) t.ok(existsSync(fileURLToPath(new URL(target, folder))), `${file}: ${target}`);
});

import { readFileSync } from 'node:fs';
import t from 'tap';
import { migrations } from '../../src/storage/migrations/index.ts';
import { leaves } from '../../tools/chart/files.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const page = read('docs/upgrade.md');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what changed'))
  .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /));

t.test('each row says what changed, what you see and what to do', async (t) => {
  t.ok(rows.length > 45);
  for (const row of rows) {
    t.equal(row.length, 3, row.join(' | '));
    for (const cell of row) t.not(cell.trim(), '', row.join(' | '));
  }
});

t.test('the database version is that of the last migration', async (t) => {
  t.match(page, `the database has version ${migrations.length}.`);
});

t.test('a default in the page is the default in the reference', async (t) => {
  const reference = read('docs/configuration.md');
  const named: readonly (readonly [string, string])[] = [
    ['limits.share', '0.5'],
    ['request_buffering', 'on'],
    ['engine', 'own'],
    ['tokens.max_a_minute', '6000'],
    ['login.max_failures_a_day', '100'],
  ];
  for (const [key, value] of named) {
    const line = reference.split('\n').find((each) => each.includes(`${key}\``) && each.includes(`\`${value}\``));
    t.ok(line, `${key} is ${value}`);
    t.match(page, key);
  }
});

t.test('every chart value in the page exists', async (t) => {
  const known = leaves().map(([path]) => path);
  const named = [
    'image.registry',
    'containerSecurityContext',
    'sidecar.networkPolicy.egress',
    'metrics.serviceMonitor.interval',
  ];
  for (const name of named) {
    t.ok(known.includes(name), name);
    t.match(page, name);
  }
});

t.test('the changelog links to the page', async (t) => {
  t.match(read('CHANGELOG.md'), '](docs/upgrade.md)');
});

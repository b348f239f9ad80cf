// Fails on every skipped test that test/allowed-skips.txt does not list. In CI, a skip means that something is not
// tested.
import { readFileSync } from 'node:fs';

const lines = (file) => readFileSync(file, 'utf8').split('\n');
const allowed = new Set(lines('test/allowed-skips.txt').filter((line) => line !== '' && !line.startsWith('#')));
const skipped = lines(process.argv[2])
  .filter((line) => line.startsWith('skipped: '))
  .map((line) => line.slice('skipped: '.length));
const unlisted = skipped.filter((line) => !allowed.has(line));
for (const line of unlisted) console.error(`skipped, and not in test/allowed-skips.txt: ${line}`);
process.exit(unlisted.length === 0 ? 0 : 1);

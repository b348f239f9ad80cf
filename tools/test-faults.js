// `npm run test:faults [-- file …]`: test/faults in the sizes that docs/promises.md names (FAULTS=full: in larger ones).
// Two files at a time, and then one after another those that compare how long requests take.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { tap } from './tap.js';

const TIMED = ['flood-event-loop', 'flood-tokens', 'hostile-files', 'slow-clients'];

const FAULTS = process.env.FAULTS || 'ci';
const seconds = FAULTS === 'full' ? 3 * 3600 : 900;
const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/faults/**/*.test.ts').sort();
const isTimed = (file) => TIMED.includes(basename(file, '.test.ts'));

const groups = [
  { jobs: 2, group: files.filter((file) => !isTimed(file)) },
  { jobs: 1, group: files.filter(isTimed) },
];
for (const { jobs, group } of groups) {
  if (group.length === 0) continue;
  const status = tap([`--jobs=${jobs}`, `--timeout=${seconds}`, ...group], { FAULTS });
  process.exitCode ||= status;
}

// `npm run test:faults [-- file …]`: test/faults in the sizes that docs/promises.md names (FAULTS=full: in larger
// ones). Two files run at a time. Files that must run alone run one by one after them.
import { globSync } from 'node:fs';
import { inGroups } from './in-groups.ts';
import { withProgram } from './tested-program.ts';

const FAULTS = process.env.FAULTS || 'ci';
const seconds = FAULTS === 'full' ? 3 * 3600 : 900;
const given = process.argv.slice(2);
const files = given.some((word) => word.endsWith('.test.ts')) ? [] : globSync('test/faults/**/*.test.ts').sort();

process.exitCode = await withProgram(() =>
  inGroups(['--jobs=2', `--timeout=${seconds}`, ...given, ...files], { FAULTS }),
);

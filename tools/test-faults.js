// `npm run test:faults [-- file …]`: test/faults in the sizes that docs/promises.md names (FAULTS=full: in larger ones),
// one file after another, since many of them compare times.
import { globSync } from 'node:fs';
import { tap } from './tap.js';

const FAULTS = process.env.FAULTS || 'ci';
const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/faults/**/*.test.ts').sort();
const seconds = FAULTS === 'full' ? 3 * 3600 : 900;
tap(['--jobs=1', `--timeout=${seconds}`, ...files], { FAULTS });

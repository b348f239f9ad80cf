// `npm run test:oracles [-- file …]`: test/oracles with 200,000 targets (or ORACLE_TARGETS) for each reader, with the
// seed that docs/promises.md names (or ORACLE_SEED). The files run one by one, because each starts seven servers.
import { globSync } from 'node:fs';
import { tap } from './tap.ts';

const ORACLE_TARGETS = process.env.ORACLE_TARGETS || '200000';
const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/oracles/*.test.ts').sort();

process.exitCode = tap(['--jobs=1', '--timeout=7200', ...files], { ORACLE_TARGETS });

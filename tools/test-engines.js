// `npm run test:engines [-- FILE …]`: the tests of the gateway with `engine: own` wherever a test does not say which, in
// every process that they start. GATEHOUSE_ENGINE names another one.
import { globSync } from 'node:fs';
import { tap } from './tap.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/{gateway,flows,advisories}/**/*.test.ts').sort();
const hook = `--import=${new URL('engine-default.js', import.meta.url)}`;
process.exitCode = tap(files, {
  GATEHOUSE_ENGINE: process.env.GATEHOUSE_ENGINE || 'own',
  NODE_OPTIONS: [process.env.NODE_OPTIONS, hook].filter(Boolean).join(' '),
});

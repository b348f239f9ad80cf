// `npm run test:engines [-- FILE …]`: the tests of the gateway with `engine: undici` wherever a test does not say which;
// `npm test` has the default. GATEHOUSE_ENGINE names another one; test/support/chosen-engine.ts reads it.
import { globSync } from 'node:fs';
import { inGroups } from './in-groups.js';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/{gateway,flows,advisories}/**/*.test.ts').sort();
process.exitCode = inGroups(files, { GATEHOUSE_ENGINE: process.env.GATEHOUSE_ENGINE || 'undici' });

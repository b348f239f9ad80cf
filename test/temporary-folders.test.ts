import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

/** Files that make a folder without `temporaryFolder`, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'test/commands/rules.ts': 'many tests of a process share the folder, which is deleted when the process ends',
  'test/deploy/bundle.test.ts': 'a bundle finds its packages only inside of node_modules',
  'test/docs/pages/units.ts': 'the function deletes the folder before it returns',
  'test/oracles/built.ts': 'the folder becomes the cache of a built program',
  'test/support/postgres.ts': 'the folder is deleted after the server has stopped',
  'test/support/process.ts': 'the folder is deleted after the gateway has ended',
  'test/support/temporary-folder.ts': 'this file has the function',
};

t.test('a test gets a temporary folder from temporaryFolder, which deletes the folder after the test', async (t) => {
  const made = globSync('test/**/*.ts').filter((file) => /\bmkdtempSync\(/.test(readFileSync(file, 'utf8')));
  t.strictSame(made.sort(), Object.keys(exceptions));
});

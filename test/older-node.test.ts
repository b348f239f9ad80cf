import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

/** An older Node.js silently reads it as undefined, and the tool does nothing. TypeScript it refuses with an error. */
const ASKED = 'import.meta.main';

t.test('plain JavaScript, which an older Node.js may run, uses nothing that only the newer one has', async (t) => {
  const files = globSync(['bin/*.js', 'tools/**/*.{js,cjs,mjs}']).sort();
  t.ok(files.includes('tools/install.js'));
  t.strictSame(
    files.filter((file) => readFileSync(file, 'utf8').includes(ASKED)),
    [],
  );
});

t.test('.ci/run puts the Node.js of the lock file first in PATH, as soon as it is installed', async (t) => {
  const [, next = ''] = readFileSync('.ci/run', 'utf8').split('step install node tools/install.js\n');
  const [first] = next.split('\n').filter((line) => !line.startsWith('#'));
  t.equal(first, 'export PATH="$PWD/node_modules/.bin:$PATH"');
});

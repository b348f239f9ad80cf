import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

const files = globSync('test/**/*.test.ts').sort();
/** A separate line, outside of every block. */
const LONGER = /^t\.setTimeout\(/m;
const WITH_REASON = /^(\/\*\*.*| \*)\*\/\nt\.setTimeout\(|^\/\*\* .* \*\/\nt\.setTimeout\(/m;

t.test('a test file ends within 30 seconds, or says why it needs longer', async (t) => {
  t.match(readFileSync('.taprc', 'utf8'), /^timeout: 30$/m);
  const silent = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return LONGER.test(text) && !WITH_REASON.test(text);
  });
  t.strictSame(silent, []);
});

import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

const folders = '{src,test,tools,bench,docs,config,helm,.ci}';

t.test('no file has the markers of an unfinished merge', async (t) => {
  const files = globSync([`${folders}/**/*.*`, '*.{md,json,yaml}'], {
    exclude: (name) => name.includes('node_modules'),
  });
  t.ok(files.length > 1_000, `${files.length} files`);
  const marked = files.filter((file) => /^(?:<{7}|>{7}) /m.test(readFileSync(file, 'latin1')));
  t.strictSame(marked, []);
});

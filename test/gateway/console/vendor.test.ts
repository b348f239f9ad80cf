import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import t from 'tap';
import { type Copy, contentOf, copies, LICENSES, licenses, pathOf } from '../../../tools/console-packages.ts';

const names = Object.keys(copies) as Copy[];

t.test('each package of the pages is the file that npm delivers, without the address of a source map', async (t) => {
  for (const name of names)
    t.ok(readFileSync(pathOf(name), 'utf8') === contentOf(name), `${name}: run node tools/console-packages.ts`);
});

t.test('the licenses of the packages are with them', async (t) => {
  t.equal(readFileSync(pathOf(LICENSES), 'utf8'), licenses());
});

t.test('no other file is among the packages', async (t) => {
  t.strictSame(readdirSync(dirname(pathOf('htm.js'))).sort(), [...names, LICENSES].sort());
});

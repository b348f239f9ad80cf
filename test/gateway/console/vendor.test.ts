import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import t from 'tap';
import { copies, pathsOf } from '../../../tools/console-packages.ts';

const names = Object.keys(copies) as (keyof typeof copies)[];

t.test('each package of the pages is byte for byte the file that npm delivers', async (t) => {
  for (const name of names) {
    const { copy, original } = pathsOf(name);
    t.ok(readFileSync(copy).equals(readFileSync(original)), `${name}: run node tools/console-packages.ts`);
  }
});

t.test('no other file is among the packages', async (t) => {
  t.strictSame(readdirSync(dirname(pathsOf('htm.js').copy)).sort(), [...names].sort());
});

import { basename, dirname } from 'node:path';
import t from 'tap';
import { programName } from '../../../src/commands/common/program-name.ts';

t.test('messages name the command in a form that can be typed again', async (t) => {
  t.equal(programName('/opt/node_modules/.bin/gatehouse', '/home/a'), 'gatehouse', 'installed');
  t.equal(programName('/home/a/gatehouse/bin/gatehouse.js', '/home/a/gatehouse'), './bin/gatehouse.js', 'a checkout');
  t.equal(programName('/home/a/gatehouse/bin/gatehouse.js', '/home/b'), '/home/a/gatehouse/bin/gatehouse.js');
  t.equal(programName('/home/a b/bin/gatehouse.js', '/home/b'), `'/home/a b/bin/gatehouse.js'`);
  t.equal(programName('', '/home/b'), 'gatehouse');
  t.equal(
    programName(process.execPath, dirname(process.execPath)),
    `./${basename(process.execPath)}`,
    'one executable',
  );
});

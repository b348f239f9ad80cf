import t from 'tap';
import { choose } from '../../tools/mutation/choice.ts';
import { rooms } from '../../tools/mutation/rooms.ts';

t.test('without names every room is tested completely, with names only those rooms', async (t) => {
  const whole = Object.entries(rooms).map(([name, room]) => ({ name, room, isPart: false, isAgain: false }));
  t.strictSame(choose([]), whole);
  t.strictSame(
    choose(['oauth', 'decide']),
    whole.filter(({ name }) => name === 'oauth' || name === 'decide'),
  );
});

t.test('with the end of a filename only that file is mutated, and all tests of its room run', async (t) => {
  const { tests } = rooms.schemes ?? {};
  t.strictSame(choose(['schemes', 'basic/index.ts']), [
    { name: 'schemes', room: { tests, mutate: ['src/gateway/schemes/basic/index.ts'] }, isPart: true, isAgain: false },
  ]);
  t.match(choose(['framing.ts', 'challenge.ts']), [
    { name: 'http-auth', room: { mutate: ['src/http-auth/challenge.ts'] }, isPart: true },
    { name: 'decide', room: { mutate: ['src/gateway/decide/framing.ts'] }, isPart: true },
  ]);
});

t.test('unnoticed changes of the last run are tested again only for whole rooms', async (t) => {
  t.match(choose(['--again', 'oauth']), [{ name: 'oauth', isPart: false, isAgain: true }]);
  t.equal(choose(['oauth', 'scope.ts', '--again']), '--again is for whole rooms');
});

t.test('a name that does not exist is reported, and nothing runs', async (t) => {
  t.match(choose(['decide', 'nowhere']), /^no such room: nowhere; there are oauth, jwt, /);
  t.equal(choose(['decide', 'basic-scheme.ts']), 'no file of decide ends with basic-scheme.ts');
  t.equal(choose(['schemes', 'asic/index.ts']), 'no file of schemes ends with asic/index.ts', 'whole names only');
  t.match(choose(['toString']), /^no such room: toString/);
});

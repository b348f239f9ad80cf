import t from 'tap';
import { shellWord } from '../../src/base/shell-word.ts';

t.test('only text that a shell would read differently is quoted', async (t) => {
  t.equal(shellWord('/tmp/a-b_1.yaml'), '/tmp/a-b_1.yaml');
  for (const text of ['/tmp/my files/a', '$HOME `x` "y"', '', '*;|&', '~']) t.equal(shellWord(text), `'${text}'`);
  t.equal(shellWord("it's"), "'it'\\''s'");
});

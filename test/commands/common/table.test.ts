import t from 'tap';
import { table } from '../../../src/commands/common/table.ts';

t.test('columns are aligned, and a very long cell widens only its own row', (t) => {
  const long = 'x'.repeat(5_000);
  const rows = [
    ['ID', 'NAME', 'SCOPE'],
    ['shop', 'Shop', 'a'],
    [long, 'Long', 'b'],
    ['y'.repeat(64), 'Widest', 'c'],
  ];
  t.equal(
    table(rows),
    [
      `ID${' '.repeat(64)}NAME    SCOPE`,
      `shop${' '.repeat(62)}Shop    a`,
      `${long}  Long    b`,
      `${'y'.repeat(64)}  Widest  c`,
      '',
    ].join('\n'),
  );
  t.end();
});

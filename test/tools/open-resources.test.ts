import t from 'tap';
import { OpenResources } from '../../tools/check/open-resources.ts';

t.test('the file that left something open is named, and not the last one', async (t) => {
  const opened = new OpenResources();
  opened.note('first', ['PipeWrap', 'Timeout']);
  opened.note('second', ['PipeWrap']);
  opened.note('leaves', ['PipeWrap', 'Timeout']);
  opened.note('more', ['PipeWrap', 'Timeout', 'Timeout']);
  opened.note('last', ['PipeWrap', 'Timeout']);
  t.strictSame(opened.blame(['PipeWrap', 'Timeout']), ['1 PipeWrap, since first', '1 Timeout, since leaves']);
});

t.test('what was opened after the last file has no other file', async (t) => {
  const opened = new OpenResources();
  opened.note('only', []);
  t.strictSame(opened.blame(['Timeout']), ['1 Timeout, since the last file']);
});

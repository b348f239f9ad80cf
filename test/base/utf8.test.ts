import t from 'tap';
import { decodeUtf8 } from '../../src/base/utf8.ts';

t.test('bytes are text only if all of them are UTF-8', async (t) => {
  t.equal(decodeUtf8(Buffer.from('grüße €')), 'grüße €');
  t.equal(decodeUtf8(Buffer.alloc(0)), '');
  t.equal(decodeUtf8(Buffer.from('grüße', 'latin1')), undefined);
  t.equal(decodeUtf8(Buffer.from('€').subarray(0, 2)), undefined, 'cut off');
  t.equal(decodeUtf8(Buffer.from([0xed, 0xa0, 0x80])), undefined, 'a surrogate');
});

t.test('a byte order mark is kept, and nothing of an earlier text is left', async (t) => {
  t.equal(decodeUtf8(Buffer.from('\uFEFFa')), '\uFEFFa');
  t.equal(decodeUtf8(Buffer.from('€').subarray(0, 1)), undefined);
  t.equal(decodeUtf8(Buffer.from('a')), 'a');
});

import { createHmac } from 'node:crypto';
import t from 'tap';
import { hmacSha256 } from '../../src/base/hmac.ts';
import fc from '../support/properties.ts';

/** RFC 4231 §4.2, §4.3, §4.7: a short key, a shorter one, and one that is longer than a block. */
const vectors: readonly (readonly [key: Uint8Array, message: string, mac: string])[] = [
  [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    Buffer.alloc(131, 0xaa),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
];

t.test('HMAC-SHA-256 matches RFC 4231', async (t) => {
  for (const [key, message, mac] of vectors) t.equal(hmacSha256(key, message).toString('hex'), mac, message);
});

t.test("for every key and message it equals OpenSSL's, however the message is cut", async (t) => {
  const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.uint8Array({ maxLength: 200 }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 140 }), fc.array(part, { maxLength: 4 }), (key, parts) => {
      const theirs = createHmac('sha256', key);
      for (const each of parts) theirs.update(each);
      t.equal(hmacSha256(key, ...parts).toString('hex'), theirs.digest('hex'));
    }),
    { numRuns: 500 },
  );
});

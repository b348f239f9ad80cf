import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeNonce, opaqueFor, readNonce } from '../../src/http-auth/nonce.ts';

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const now = 1_800_000_000_123;
const made = (random: Uint8Array = Buffer.alloc(9, 7)) => makeNonce({ key, now, random, purpose: 'r' });

t.test('a nonce tells when it was issued, and no two of them are one', async (t) => {
  t.match(readNonce([key], made(), 'r'), { issuedAt: now });
  t.match(readNonce([other, key], made(), 'r'), { issuedAt: now }, 'under any of the keys');
  const ids = Array.from({ length: 1000 }, () => readNonce([key], made(randomBytes(9)), 'r')?.id);
  t.equal(new Set(ids).size, 1000);
});

t.test('another key, another purpose or any other text is no nonce', async (t) => {
  const nonce = made();
  t.equal(nonce.length, 43);
  t.equal(readNonce([other], nonce, 'r'), undefined);
  t.equal(readNonce([key], nonce, 'R'), undefined);
  for (let index = 0; index < nonce.length; index++) {
    for (const put of ['', 'A', 'B', 'z', '_', '+', '=', ' '])
      if (nonce[index] !== put) {
        const text = nonce.slice(0, index) + put + nonce.slice(index + 1);
        t.equal(readNonce([key], text, 'r'), undefined, text);
      }
  }
  for (const text of ['', `${nonce}A`, `${nonce}=`, ` ${nonce}`]) t.equal(readNonce([key], text, 'r'), undefined, text);
});

t.test('an opaque is the same for one purpose and key, and no part of a nonce', async (t) => {
  t.equal(opaqueFor(key, 'r'), opaqueFor(key, 'r'));
  t.equal(new Set([opaqueFor(key, 'r'), opaqueFor(key, 'R'), opaqueFor(other, 'r'), made().slice(22)]).size, 4);
});

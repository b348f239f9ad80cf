import { randomBytes } from 'node:crypto';
import t from 'tap';
import { hmacSha256 } from '../../src/base/hmac.ts';
import { makeNonce, opaqueFor, readNonce } from '../../src/http-auth/nonce.ts';

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const now = 1_800_000_000_123;
const made = (random: Uint8Array = Buffer.alloc(9, 7)) => makeNonce({ key, now, random, purpose: 'r' });

t.test('a nonce contains its issue time, and no two of them are equal', async (t) => {
  t.match(readNonce([key], made(), 'r'), { issuedAt: now });
  t.match(readNonce([other, key], made(), 'r'), { issuedAt: now }, 'under any of the keys');
  const ids = Array.from({ length: 1000 }, () => readNonce([key], made(randomBytes(9)), 'r')?.id);
  t.equal(new Set(ids).size, 1000);
});

t.test('a nonce of another key or purpose, or any other text, is rejected', async (t) => {
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

t.test('an opaque is the same for one purpose and key, and not part of a nonce', async (t) => {
  t.equal(opaqueFor(key, 'r'), opaqueFor(key, 'r'));
  t.equal(new Set([opaqueFor(key, 'r'), opaqueFor(key, 'R'), opaqueFor(other, 'r'), made().slice(22)]).size, 4);
});

t.test('a nonce has one spelling, and its id is its unique part', async (t) => {
  const key = Buffer.alloc(32, 7);
  const text = makeNonce({ key, now: 1_700_000_000_123.9, random: Buffer.alloc(9, 1), purpose: 'realm' });
  t.match(text, /^[A-Za-z0-9_-]{43}$/);
  t.strictSame(readNonce([key], text, 'realm'), { id: text.slice(0, 22), issuedAt: 1_700_000_000_123 });
  const bytes = Buffer.from(text, 'base64url');
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => text.slice(0, -1) + last)
    .filter((other) => other !== text && Buffer.from(other, 'base64url').equals(bytes));
  t.equal(spellings.length, 3);
  for (const other of [
    ...spellings,
    `${text}=`,
    ` ${text}`,
    `${text}\n`,
    `${text}A`,
    text.slice(1),
    text.slice(0, -1),
    '',
  ])
    t.equal(readNonce([key], other, 'realm'), undefined, JSON.stringify(other));
});

t.test('a nonce of another version is not ours, whoever signed it', async (t) => {
  const key = Buffer.alloc(32, 7);
  const of = (version: number) => {
    const open = Buffer.alloc(16, 1);
    open.writeUInt8(version, 0);
    const mac = hmacSha256(key, 'nonce\0', open, 'realm').subarray(0, 16);
    return Buffer.concat([open, mac]).toString('base64url');
  };
  t.ok(readNonce([key], of(1), 'realm'));
  t.equal(readNonce([key], of(2), 'realm'), undefined);
});

t.test(
  'an opaque value is not the MAC of a nonce, is the same each time, and differs for each purpose and key',
  async (t) => {
    const [key, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    t.equal(opaqueFor(key, 'realm'), hmacSha256(key, 'opaque\0', 'realm').subarray(0, 16).toString('base64url'));
    t.equal(new Set([opaqueFor(key, 'realm'), opaqueFor(key, 'other'), opaqueFor(other, 'realm')]).size, 3);
  },
);

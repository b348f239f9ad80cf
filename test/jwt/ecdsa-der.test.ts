import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import t from 'tap';
import { derOfEs256, es256OfDer } from '../../src/jwt/ecdsa-der.ts';
import fc, { tries } from '../support/properties.ts';

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const scalar = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const raw = (r: bigint, s: bigint) => Buffer.concat([scalar(r), scalar(s)]);
const hex = (r: bigint, s: bigint) => {
  const der = derOfEs256(raw(r, s));
  return der && Buffer.from(der).toString('hex');
};

/** X.690 §8.3, with numbers instead of bytes. */
function integer(value: bigint): string {
  let digits = value.toString(16);
  if (digits.length % 2 === 1) digits = `0${digits}`;
  if (Number.parseInt(digits.slice(0, 2), 16) > 0x7f) digits = `00${digits}`;
  return `02${(digits.length / 2).toString(16).padStart(2, '0')}${digits}`;
}

function sequence(r: bigint, s: bigint): string {
  const content = integer(r) + integer(s);
  return `30${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
}

t.test('both numbers are INTEGERs in the shortest form', async (t) => {
  t.equal(hex(1n, 1n), '3006020101020101');
  t.equal(hex(0x7fn, 0x80n), '300702017f02020080', 'a first bit that is set is no sign');
  t.equal(hex(0x100n, 0x8000n), '300902020100020300' + '8000');
  t.equal(hex(ORDER - 1n, ORDER - 1n)?.length, 2 * 72, 'the longest');
});

t.test('each pair of numbers within 1 to n - 1 is written as X.690 says', async (t) => {
  const number = fc.oneof(
    fc.bigInt({ min: 1n, max: ORDER - 1n }),
    fc.nat({ max: 255 }).chain((bits) => fc.bigInt({ min: 1n, max: (1n << BigInt(bits + 1)) - 1n })),
    fc.nat({ max: 255 }).map((bit) => 1n << BigInt(bit)),
  );
  const inRange = number.filter((value) => value < ORDER);
  const property = fc.property(inRange, inRange, (r, s) => hex(r, s) === sequence(r, s));
  t.doesNotThrow(() => fc.assert(property, tries(2_000, 100_000)));
});

t.test('a number that is 0, n or above makes the signature invalid, in either place', async (t) => {
  for (const bad of [0n, ORDER, ORDER + 1n, (1n << 256n) - 1n]) {
    t.equal(hex(bad, 1n), undefined, `r = ${bad}`);
    t.equal(hex(1n, bad), undefined, `s = ${bad}`);
    t.equal(hex(bad, bad), undefined);
  }
  t.ok(hex(ORDER - 1n, 1n));
  t.ok(hex(1n, ORDER - 1n));
});

t.test('only 64 bytes are a signature', async (t) => {
  for (const length of [0, 1, 32, 63, 65, 72, 96, 128]) t.equal(derOfEs256(Buffer.alloc(length, 1)), undefined);
  t.ok(derOfEs256(Buffer.alloc(64, 1)));
});

t.test('two signatures do not share their memory', async (t) => {
  const [one, other] = [derOfEs256(raw(1n, 1n)), derOfEs256(raw(ORDER - 1n, ORDER - 1n))];
  t.equal(Buffer.from(one ?? []).toString('hex'), '3006020101020101');
  t.equal(other?.length, 72);
});

t.test('the converted signature is what OpenSSL signs and verifies', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey);
  for (let count = 0; count < 300; count++) {
    const data = Buffer.from(`message ${count}`);
    const der = derOfEs256(sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
    if (der === undefined || !verify('sha256', data, publicKey, der)) return t.fail(`${count}`);
  }
  t.pass();
});

t.test('the way back gives the same bytes for each pair of numbers', async (t) => {
  const number = fc.bigInt({ min: 1n, max: ORDER - 1n });
  const small = fc.bigInt({ min: 1n, max: 0xffffn });
  fc.assert(
    fc.property(fc.oneof(number, small), fc.oneof(number, small), (r, s) => {
      const der = derOfEs256(raw(r, s));
      return der !== undefined && es256OfDer(der).equals(raw(r, s));
    }),
    tries(1_000, 100_000),
  );
  t.pass();
});

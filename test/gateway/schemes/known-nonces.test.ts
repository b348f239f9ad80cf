import t from 'tap';
import { KnownNonces } from '../../../src/gateway/schemes/known-nonces.ts';
import { makeNonce } from '../../../src/http-auth/nonce.ts';

const key = Buffer.alloc(32, 1);

function nonceOf(index: number): string {
  const random = Buffer.alloc(9);
  random.writeUInt32BE(index);
  return makeNonce({ key, now: 1000, random, purpose: 'r' });
}

t.test('the MAC of a nonce is verified once, and each use gets the same result', async (t) => {
  const known = new KnownNonces([key]);
  const [one, other] = [nonceOf(1), nonceOf(2)];
  const first = known.read(one, 'r');
  t.match(first, { id: one.slice(0, 22), issuedAt: 1000 });
  t.ok(known.read(other, 'r'));
  t.equal(known.read(one, 'r'), first);
});

t.test('a known nonce has no other purpose, and an invalid one is never known', async (t) => {
  const known = new KnownNonces([key]);
  const nonce = nonceOf(1);
  for (let use = 0; use < 2; use++) {
    t.ok(known.read(nonce, 'r'));
    t.equal(known.read(nonce, 's'), undefined);
    t.equal(known.read(`${nonce.slice(0, -2)}AA`, 'r'), undefined);
    t.equal(new KnownNonces([Buffer.alloc(32, 2)]).read(nonce, 'r'), undefined);
  }
  t.ok(known.read(nonce, 'r'));
});

t.test('a flood of nonces makes it forget all of them, and they stay valid', async (t) => {
  const known = new KnownNonces([key]);
  const first = known.read(nonceOf(0), 'r');
  for (let index = 1; index < 16_384; index++) known.read(nonceOf(index), 'r');
  t.equal(known.read(nonceOf(0), 'r'), first, 'the last one that fits');
  known.read(nonceOf(16_384), 'r');
  const again = known.read(nonceOf(0), 'r');
  t.not(again, first, 'one more');
  t.strictSame(again, first);
});

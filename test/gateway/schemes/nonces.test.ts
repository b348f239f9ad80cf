import t from 'tap';
import { openNonces, openUsedNonces } from '../../../src/gateway/schemes/nonces.ts';
import { makeNonce } from '../../../src/http-auth/nonce.ts';
import { heldClock } from '../issuer.ts';

const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const [first = '', second = ''] = keys.map((key) => key.toString('base64'));

const open = (texts?: readonly string[], clock = heldClock()) => ({
  clock,
  nonces: openNonces(texts, openUsedNonces(clock)),
});

t.test('the first key signs, all verify, and without one each process is alone', async (t) => {
  const clock = heldClock();
  const { nonces } = open([first, second], clock);
  const nonce = nonces.issue('r');
  t.ok(nonces.read(nonce, 'r'));
  t.notOk(nonces.read(nonce, 's'));
  t.ok(open([second, first], clock).nonces.read(nonce, 'r'));
  t.notOk(open([second], clock).nonces.read(nonce, 'r'));
  const [one, other] = [open(undefined, clock).nonces, open([], clock).nonces];
  t.ok(one.read(one.issue('r'), 'r'));
  t.notOk(other.read(one.issue('r'), 'r'));
  t.notSame(one.opaques('r'), other.opaques('r'));
  const [given, taken] = nonces.opaques('r');
  t.strictSame(open([second, first]).nonces.opaques('r'), [taken, given]);
  t.not(given, nonces.opaques('s')[0]);
});

t.test('no two nonces are equal, and the first is younger than its process', async (t) => {
  const { nonces } = open([first]);
  const all = new Set(Array.from({ length: 100 }, () => nonces.issue('r')));
  t.equal(all.size, 100);
  const [nonce = ''] = all;
  const read = nonces.read(nonce, 'r');
  t.equal(read?.issuedAt, nonces.now() + 1);
  const use = { count: 1, mode: 'strict', now: nonces.now(), expiresAt: nonces.now() + 1000 } as const;
  t.equal(read && nonces.counts.use(read, use), 'fresh');
});

t.test('a nonce of another replica may be five seconds ahead, and no more', async (t) => {
  const { nonces } = open([first]);
  const at = (ahead: number) =>
    makeNonce({ key: keys[0] as Buffer, now: nonces.now() + ahead, random: Buffer.alloc(9), purpose: 'r' });
  t.ok(nonces.read(at(5000), 'r'));
  t.notOk(nonces.read(at(5001), 'r'));
});

t.test('a step of the wall clock changes no age', async (t) => {
  const { nonces, clock } = open([first]);
  const before = nonces.now();
  t.equal(before, clock.now());
  clock.step(-3_600_000);
  t.equal(nonces.now(), before);
  clock.advance(1500);
  t.equal(nonces.now(), before + 1500);
});

t.test("the replacement for an unknown user's hash is long enough, and unpredictable", async (t) => {
  const [one, other] = [open([first]).nonces, open([first]).nonces];
  t.match(one.decoy, /^[0-9a-f]{64}$/);
  t.not(one.decoy, other.decoy);
});

t.test('a nonce that was verified before is verified for its own purpose, keys and time only', async (t) => {
  const { nonces, clock } = open([first]);
  const nonce = nonces.issue('r');
  const read = nonces.read(nonce, 'r');
  t.strictSame(nonces.read(nonce, 'r'), read);
  t.notOk(nonces.read(nonce, 's'));
  t.strictSame(nonces.read(nonce, 'r'), read, 'also after another purpose was tried');
  for (const other of [`${nonce.slice(0, -1)}_`, `${nonce}=`, nonce.slice(0, -1)])
    t.notOk(nonces.read(other, 'r'), other);
  t.notOk(open([second], clock).nonces.read(nonce, 'r'), 'with other keys');
});

t.test('a flood of nonces makes none invalid', async (t) => {
  const { nonces } = open([first]);
  const nonce = nonces.issue('r');
  const read = nonces.read(nonce, 'r');
  for (let count = 0; count < 20_000; count++) nonces.read(nonces.issue('r'), 'r');
  t.strictSame(nonces.read(nonce, 'r'), read);
});

import { exportJWK, generateKeyPair, type JWK } from 'jose';
import t from 'tap';
import { algorithmNames } from '../../src/jwt/algorithms.ts';
import { keyRing } from '../../src/jwt/key-ring.ts';
import { importKeys } from '../../src/jwt/keys.ts';
import { signingKey } from '../support/keys.ts';

const publicJwk = async (alg: 'ES256' | 'RS256' | 'EdDSA' | 'ES384') => (await signingKey(alg)).jwk as JWK;
const anew = async (kid: string): Promise<JWK> => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  kid,
});
const importAll = (keys: unknown) => importKeys({ keys }, algorithmNames);

t.test('a key is for the algorithms that it fits, and its own alg narrows them to one', async (t) => {
  const { alg, ...bare } = await publicJwk('RS256');
  const algs = (imported: Awaited<ReturnType<typeof importAll>>) => imported?.keys.map((key) => key.alg);
  t.strictSame(algs(await importAll([bare])), ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']);
  t.strictSame(algs(await importAll([{ ...bare, alg }])), ['RS256']);
  t.strictSame(algs(await importKeys({ keys: [bare] }, ['PS256', 'ES256'])), ['PS256'], 'only what is accepted');
});

t.test('one bad key of a set is left out with a reason, the others stay', async (t) => {
  const good = await publicJwk('ES256');
  const rsa = await publicJwk('RS256');
  const other = await anew('other');
  const weak = await exportJWK((await generateKeyPair('RS256', { modulusLength: 2048 })).publicKey);
  const bad: Record<string, unknown> = {
    'no object': 'key',
    null: null,
    'no kty': { kid: 'x' },
    'a secret': { kty: 'oct', k: 'c2VjcmV0', kid: 'x' },
    'a private part': { ...other, d: 'AAAA' },
    'a private part that is null': { ...other, d: null },
    'an RSA prime': { ...rsa, kid: 'x', p: 'AA' },
    'for encryption': { ...other, use: 'enc' },
    'for signing only': { ...other, key_ops: ['sign'] },
    'key_ops of no list': { ...other, key_ops: 'verify' },
    'kid of no string': { ...other, kid: 1 },
    'another curve': { ...other, crv: 'P-384' },
    'off the curve': { ...other, y: other.x },
    'a wrong alg': { ...other, alg: 'RS256' },
    'an unknown alg': { ...other, alg: 'none' },
    'HMAC with an EC key': { ...other, alg: 'HS256' },
    'too few bits': { ...weak, kid: 'x', n: weak.n?.slice(0, 171) },
    'too many bits': { ...weak, kid: 'x', n: '_'.repeat(2000) },
    'a huge exponent': { ...weak, kid: 'x', e: `_${'_'.repeat(30)}w` },
    'a number for a coordinate': { ...other, x: 1 },
    'no coordinate': { kty: 'EC', crv: 'P-256', kid: 'x' },
  };
  for (const [what, jwk] of Object.entries(bad)) {
    const imported = await importAll([jwk, good]);
    t.strictSame(
      imported?.keys.map((key) => key.kid),
      [good.kid],
      what,
    );
    t.equal(imported?.refused.length, 1, what);
  }
});

t.test('two different keys with one kid are both left out; the same key twice is one', async (t) => {
  const [one, two] = [await anew('same'), await anew('same')];
  const good = await publicJwk('EdDSA');
  const doubled = await importAll([one, two, good]);
  t.notOk(doubled?.keys.some((key) => key.kid === 'same'));
  t.equal(doubled?.refused.length, 2);
  t.ok(doubled?.keys.length);
  t.equal(keyRing((await importAll([one, one]))?.keys ?? []).candidates('ES256', 'same').length, 1);
  const { alg, ...rsa } = await publicJwk('RS256');
  const kinds = await importAll([one, { ...rsa, kid: 'same' }]);
  t.ok(
    kinds?.keys.some((key) => key.alg === 'ES256') && kinds.keys.some((key) => key.alg === 'RS256'),
    'RFC 7517 §4.5',
  );
});

t.test('an invalid or too large key set is refused as a whole', async (t) => {
  const key = await publicJwk('ES256');
  for (const set of [
    null,
    [],
    'x',
    {},
    { keys: {} },
    { keys: null },
    { keys: Array(101).fill(key) },
    { keys: Array(10_000).fill(key) },
  ]) {
    t.equal(await importKeys(set, algorithmNames), undefined);
  }
});

t.test('a key that is published again is the same key, so what it verified stays valid', async (t) => {
  const [es, rs] = [await publicJwk('ES256'), await publicJwk('RS256')];
  const first = keyRing((await importAll([es]))?.keys ?? []);
  const second = keyRing((await importKeys({ keys: [rs, es] }, algorithmNames, first.keys))?.keys ?? []);
  const [key] = first.candidates('ES256', es.kid);
  t.ok(key && second.holds(key));
  const renamed = keyRing(
    (await importKeys({ keys: [{ ...es, kid: 'new' }] }, algorithmNames, first.keys))?.keys ?? [],
  );
  t.notOk(key && renamed.holds(key));
});

t.test('for a token without kid few keys are tried', async (t) => {
  const keys = (await importAll(await Promise.all(Array.from({ length: 20 }, (_, n) => anew(`k${n}`)))))?.keys ?? [];
  t.equal(keyRing(keys).candidates('ES256', undefined).length, 4);
  t.equal(keyRing(keys).candidates('ES256', 'k17').length, 1);
  t.equal(keyRing(keys).candidates('ES384', undefined).length, 0);
});

t.test('the log says why a key is left out, and which', async (t) => {
  const es = { ...(await publicJwk('ES256')), kid: 'x' };
  const reasons: readonly [jwk: unknown, reason: string][] = [
    [null, 'not a key'],
    [{ kid: 'x' }, 'not a key'],
    [{ kty: 'oct', kid: 'x' }, 'secret material is published'],
    [{ ...es, use: 'enc' }, 'for encryption (use)'],
    [{ ...es, use: 'signature' }, 'not for signatures (use)'],
    [{ ...es, key_ops: [] }, 'not for verification (key_ops)'],
    [{ ...es, key_ops: ['sign'] }, 'not for verification (key_ops)'],
    [{ ...es, alg: 'RS256' }, 'matches no accepted algorithm'],
    [{ ...es, kty: 'OKP' }, 'matches no accepted algorithm'],
  ];
  for (const [jwk, reason] of reasons) {
    const kid = jwk === null ? undefined : 'x';
    t.strictSame((await importAll([jwk]))?.refused, [{ kid, reason }], reason);
  }
  t.strictSame((await importAll([{ ...es, kid: 7 }]))?.refused, [{ kid: undefined, reason: 'kid is not a string' }]);
  const doubled = await importAll([await anew('x'), await anew('x')]);
  const reason = 'another key has the same kid';
  t.strictSame(doubled?.refused, [
    { kid: 'x', reason },
    { kid: 'x', reason },
  ]);
});

t.test('every private member makes a key rejected (RFC 7518 §6.2.2, §6.3.2)', async (t) => {
  const rsa = await publicJwk('RS256');
  for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) {
    const imported = await importAll([{ ...rsa, [name]: 'AA' }]);
    t.match(imported, { keys: [], refused: [{ reason: 'secret material is published' }] }, name);
    t.equal(imported?.keys.length, 0, name);
  }
});

t.test('a key is accepted with a key_ops or use that allows verification, and without a kid', async (t) => {
  const { kid, ...es } = await publicJwk('ES256');
  const [one, two] = [es, await anew('')];
  for (const jwk of [{ ...es, key_ops: ['sign', 'verify'] }, { ...es, use: 'sig' }, es])
    t.equal((await importAll([jwk]))?.keys.length, 1);
  const nameless = await importAll([one, { ...two, kid: undefined }]);
  t.equal(nameless?.keys.length, 2, 'two keys without a kid are two keys');
  t.strictSame(
    nameless?.keys.map((key) => key.kid),
    [undefined, undefined],
  );
  t.ok(kid);
});

t.test('a hundred keys are accepted in a set', async (t) => {
  const key = await publicJwk('ES256');
  t.equal((await importKeys({ keys: Array(100).fill(key) }, ['ES256']))?.keys.length, 100);
});

t.test('a key of one curve or kind is never used for an algorithm of another', async (t) => {
  const algs = async (alg: 'ES256' | 'RS256' | 'EdDSA' | 'ES384') => {
    const { alg: _alg, ...jwk } = await publicJwk(alg);
    return (await importAll([jwk]))?.keys.map((key) => key.alg);
  };
  t.strictSame(await algs('ES256'), ['ES256']);
  t.strictSame(await algs('ES384'), ['ES384']);
  t.strictSame(await algs('EdDSA'), ['EdDSA', 'Ed25519']);
});

t.test('at most 8192 bits and a public exponent of four bytes are accepted', async (t) => {
  const { alg, ...rsa } = await publicJwk('RS256');
  const sized = async (bits: number, e: string) => {
    const n = Buffer.alloc(bits / 8, 0xff).toString('base64url');
    return (await importKeys({ keys: [{ ...rsa, n, e }] }, ['RS256']))?.keys.length;
  };
  t.equal(await sized(8192, 'AQAB'), 1);
  t.equal(await sized(8200, 'AQAB'), 0);
  t.equal(await sized(2048, '_____w'), 1);
  t.equal(await sized(2048, '______8'), 0);
  t.ok(alg);
});

t.test('a ring knows only the names of its own keys', async (t) => {
  const ring = keyRing((await importAll([await anew('a')]))?.keys ?? []);
  t.ok(ring.knows('a'));
  t.notOk(ring.knows('b'));
});

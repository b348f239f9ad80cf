import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import t from 'tap';
import { type ReadClientKey, readClientKey } from '../../../src/config/files/client-key.ts';

const made: Readonly<Record<string, KeyObject>> = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
  EdDSA: generateKeyPairSync('ed25519').privateKey,
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
};

function pem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function jwk(key: KeyObject, names: object = {}): string {
  return JSON.stringify({ ...key.export({ format: 'jwk' }), ...names });
}

function algorithmOf(read: ReadClientKey): string {
  return read.ok ? read.key.alg : read.message;
}

t.test('the algorithm follows from the key, in each of its forms', async (t) => {
  const files = Object.entries(made).flatMap(([alg, key]) => [
    [`${alg}.pem`, pem(key)],
    [`${alg}.jwk`, jwk(key)],
  ]);
  const directory = t.testdir(Object.fromEntries(files));
  for (const alg of Object.keys(made)) {
    t.equal(algorithmOf(readClientKey(`${alg}.pem`, { directory })), alg);
    t.equal(algorithmOf(readClientKey(`${alg}.jwk`, { directory })), alg);
  }
});

t.test('a JWK gives its kid, and its alg if several are possible', async (t) => {
  const directory = t.testdir({
    ps: jwk(made.RS256 as KeyObject, { alg: 'PS256', kid: 'mine' }),
    wrong: jwk(made.ES256 as KeyObject, { alg: 'RS256' }),
    unknown: jwk(made.ES256 as KeyObject, { alg: 'none' }),
  });
  t.match(readClientKey('ps', { directory }), { ok: true, key: { alg: 'PS256', kid: 'mine' } });
  t.equal(algorithmOf(readClientKey('wrong', { directory })), 'the key fits no algorithm');
  t.equal(algorithmOf(readClientKey('unknown', { directory })), 'the key fits no algorithm');
});

t.test('a value that is not a private signing key is rejected with a clear message', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const directory = t.testdir({
    public: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    secret: '{"kty":"oct","k":"AAAA"}',
    broken: '{"kty":"EC"',
    number: '{"kty":"RSA","n":7}',
    x25519: pem(generateKeyPairSync('x25519').privateKey),
    secp256k1: pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
    dsa: pem(generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey),
    pss: pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey),
    locked: privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
    empty: '',
    ed448: pem(generateKeyPairSync('ed448').privateKey),
  });
  for (const name of ['public', 'secret', 'broken', 'number', 'locked', 'empty'])
    t.equal(algorithmOf(readClientKey(name, { directory })), 'the file has no usable private key', name);
  for (const name of ['x25519', 'ed448', 'secp256k1', 'dsa', 'pss'])
    t.equal(algorithmOf(readClientKey(name, { directory })), 'the key fits no algorithm', name);
});

t.test('a key in place of a filename is never repeated', async (t) => {
  const read = readClientKey(pem(made.EdDSA as KeyObject), { directory: '.' });
  t.equal(algorithmOf(read), 'this is a key, and not a filename');
});

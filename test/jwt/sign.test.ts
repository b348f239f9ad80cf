import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import t from 'tap';
import { importSign, makePrivateJwk, readJwk, type UserKeyAlgorithm } from '../../src/jwt/private-jwk.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';
import { buildSecretSign, buildSign, generators, makeSigningKey, type SigningAlgorithm } from '../../src/jwt/sign.ts';

const algorithms = Object.keys(generators) as SigningAlgorithm[];
const claims = { iss: 'https://auth.example.com', sub: 'alice' };

t.test('a signing key is published with its thumbprint, and without its private part', async (t) => {
  for (const alg of algorithms) {
    const { kid, publicJwk } = await makeSigningKey(alg);
    t.match(publicJwk, { kid, alg, use: 'sig' });
    t.equal(kid, await calculateJwkThumbprint(publicJwk));
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) t.notOk(secret in publicJwk, `${alg} ${secret}`);
  }
});

t.test('the published key verifies what a signing key signs; the header names algorithm and key', async (t) => {
  for (const alg of algorithms) {
    const pair = await makeSigningKey(alg);
    const token = await buildSign(pair)('at+jwt', claims);
    t.strictSame(decodeProtectedHeader(token), { alg, typ: 'at+jwt', kid: pair.kid });
    t.strictSame((await jwtVerify(token, await importJWK(pair.publicJwk))).payload, claims);
  }
});

t.test('a key is stored as PKCS #8 in DER, the form in which other tools write it too', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const token = await buildSign({ kid: 'k', alg: 'EdDSA', privateKey: der })('JWT', claims);
  t.strictSame((await jwtVerify(token, publicKey)).payload, claims);
});

t.test('a shared secret signs with HS256 and names no key (RFC 7518 §3.2)', async (t) => {
  const secret = randomBytes(32);
  const token = await buildSecretSign(secret)('at+jwt', claims);
  t.strictSame(decodeProtectedHeader(token), { alg: 'HS256', typ: 'at+jwt' });
  t.strictSame((await jwtVerify(token, secret)).payload, claims);
});

t.test("a user's key signs with its given kid, and its public part verifies", async (t) => {
  for (const alg of [...algorithms, 'HS256'] as UserKeyAlgorithm[]) {
    const { alg: made, publicJwk, privateJwk } = await makePrivateJwk(alg);
    t.equal(made, alg);
    const token = await (await importSign(alg, 'a-kid', privateJwk))('at+jwt', claims);
    t.strictSame(decodeProtectedHeader(token), { alg, typ: 'at+jwt', kid: 'a-kid' });
    t.equal(publicJwk === undefined, alg === 'HS256', 'a secret has no public part');
    t.notOk(publicJwk && 'd' in publicJwk, alg);
    const key = await importJWK(publicJwk ?? readJwk(privateJwk), alg);
    t.strictSame((await jwtVerify(token, key)).payload, claims);
  }
});

t.test("a user's secret is new each time and as long as the hash", async (t) => {
  const [one, two] = await Promise.all([makePrivateJwk('HS256'), makePrivateJwk('HS256')]);
  const { kty, k } = readJwk(one.privateJwk);
  t.equal(kty, 'oct');
  t.equal(Buffer.from(k ?? '', 'base64url').length, 32);
  t.not(readJwk(two.privateJwk).k, k);
});

t.test('a secret gives a key for each accepted HMAC algorithm, and for no other', async (t) => {
  const secret = new Uint8Array(32);
  const keys = await importSecret(secret, ['ES256', 'HS256', 'RS256', 'HS512']);
  t.match(keys, [
    { alg: 'HS256', kid: undefined, id: 'HS256' },
    { alg: 'HS512', kid: undefined, id: 'HS512' },
  ]);
  t.equal(keys.length, 2);
  for (const { key } of keys) {
    t.notOk(key.extractable);
    t.strictSame(key.usages, ['verify']);
  }
  t.strictSame(await importSecret(secret, ['ES256']), []);
});

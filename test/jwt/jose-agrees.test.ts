import { KeyObject, sign as signDer, type webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import t from 'tap';
import { type AlgorithmName, algorithmNames } from '../../src/jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../src/jwt/keys.ts';
import { parseJws } from '../../src/jwt/parse.ts';
import { signingKey } from '../support/keys.ts';
import fc, { tries } from '../support/properties.ts';
import { sign } from './tokens.ts';
import { joseAccepts, keysFor, secretJwk, verifyBothWays } from './ways.ts';

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

async function oursAccepts(token: string, keys: readonly VerificationKey[]): Promise<boolean> {
  const jws = parseJws(token);
  return jws.kind === 'parsed' && (await verifyBothWays(jws, keys)) !== undefined;
}

async function agree(token: string, alg: AlgorithmName): Promise<boolean> {
  const [ours, theirs] = await Promise.all([
    oursAccepts(token, await keysFor(alg)),
    joseAccepts(token, (await signingKey(alg)).jwk ?? secretJwk, alg),
  ]);
  if (ours !== theirs) throw new Error(`${alg}: ours ${ours}, jose ${theirs}: ${token}`);
  return ours;
}

type Parts = readonly [header: Buffer, payload: Buffer, signature: Buffer];

const split = (token: string) => token.split('.').map((part) => Buffer.from(part, 'base64url')) as unknown as Parts;
const join = (parts: readonly Uint8Array[]) => parts.map((part) => Buffer.from(part).toString('base64url')).join('.');

/** A change to the three parts of a valid token. */
type Change = (parts: Parts) => readonly Uint8Array[];

const flipped: fc.Arbitrary<Change> = fc.tuple(fc.nat({ max: 2 }), fc.nat(), fc.nat({ max: 7 })).map(
  ([index, at, bit]) =>
    (parts) =>
      parts.map((part, each) => {
        if (each !== index) return part;
        const other = Buffer.from(part);
        other.writeUInt8(other.readUInt8(at % other.length) ^ (1 << bit), at % other.length);
        return other;
      }),
);

const onSignature =
  (change: (signature: Buffer) => Uint8Array): Change =>
  ([header, payload, signature]) => [header, payload, change(signature)];

const cut = fc.nat().map((by) => onSignature((signature) => signature.subarray(0, by % signature.length)));
const extended = fc
  .uint8Array({ minLength: 1, maxLength: 70 })
  .map((more) => onSignature((signature) => Buffer.concat([signature, more])));
const before = fc
  .uint8Array({ minLength: 1, maxLength: 2 })
  .map((more) => onSignature((signature) => Buffer.concat([more, signature])));
const replaced = fc.uint8Array({ maxLength: 600 }).map((other) => onSignature(() => other));
const sameLength = fc.nat({ max: 255 }).map((byte) => onSignature((signature) => Buffer.alloc(signature.length, byte)));
const reversed = fc.constant(onSignature((signature) => Buffer.from(signature).reverse()));
const halvesSwapped = fc.constant(
  onSignature((signature) => {
    const half = signature.length >> 1;
    return Buffer.concat([signature.subarray(half), signature.subarray(0, half)]);
  }),
);
const renamed = fc.constantFrom(...algorithmNames).map(
  (alg): Change =>
    ([header, payload, signature]) => [
      Buffer.from(JSON.stringify({ ...JSON.parse(header.toString()), alg })),
      payload,
      signature,
    ],
);
const changes = fc.oneof(flipped, cut, extended, before, replaced, sameLength, reversed, halvesSwapped, renamed);

t.test('for a changed token jose gives the same result, with each algorithm', async (t) => {
  for (const alg of algorithmNames) {
    const token = await sign({ sub: 'alice' }, { alg });
    t.ok(await agree(token, alg), `${alg}, unchanged`);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        const changed = join(change(split(token)));
        if ((await agree(changed, alg)) && changed !== token) accepted++;
      }),
      tries(50, 500),
    );
    t.equal(accepted, 0, `${alg}: no changed token is accepted`);
  }
});

const scalar = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const number = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

t.test('an ES256 signature with a number out of range is refused, as by jose', async (t) => {
  const token = await sign({ sub: 'alice' });
  const [header, payload, signature] = split(token);
  const [r, s] = [number(signature.subarray(0, 32)), number(signature.subarray(32))];
  const most = (1n << 256n) - 1n;
  for (const [name, pair] of Object.entries({
    'r = 0': [0n, s],
    's = 0': [r, 0n],
    'both 0': [0n, 0n],
    'r = n': [ORDER, s],
    's = n': [r, ORDER],
    'r and s above n': [most, most],
    'r = 1, s = 1': [1n, 1n],
    'r and s swapped': [s, r],
  }) as [string, readonly [bigint, bigint]][]) {
    const other = join([header, payload, Buffer.concat(pair.map(scalar))]);
    t.notOk(await agree(other, 'ES256'), name);
  }
});

t.test('the second valid signature of each ES256 signature verifies, as with jose', async (t) => {
  const [header, payload, signature] = split(await sign({ sub: 'alice' }));
  const s = number(signature.subarray(32));
  const other = Buffer.concat([signature.subarray(0, 32), scalar(ORDER - s)]);
  t.ok(await agree(join([header, payload, other]), 'ES256'));
});

t.test('an ECDSA signature in DER is refused, as by jose', async (t) => {
  for (const [alg, hash] of [
    ['ES256', 'sha256'],
    ['ES384', 'sha384'],
    ['ES512', 'sha512'],
  ] as const) {
    const { key } = await signingKey(alg);
    const input = (await sign({ sub: 'alice' }, { alg })).split('.').slice(0, 2).join('.');
    for (let count = 0; count < 20; count++) {
      const der = signDer(hash, Buffer.from(input), KeyObject.from(key as webcrypto.CryptoKey));
      t.notOk(await agree(`${input}.${der.toString('base64url')}`, alg), alg);
    }
  }
});

t.test("the key's algorithm decides about a token, as in jose with a key for one algorithm", async (t) => {
  const tokens = await Promise.all(algorithmNames.map((alg) => sign({ sub: 'alice' }, { alg })));
  for (const [index, alg] of algorithmNames.entries())
    for (const [other, token] of tokens.entries()) t.equal(await agree(token, alg), other === index);
});

t.test('a key of another curve or type verifies nothing, whatever its alg says', async (t) => {
  const p384 = await exportJWK((await generateKeyPair('ES384', { extractable: true })).publicKey);
  const rsa = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey);
  const { jwk: { alg: _, ...ed25519 } = {} } = await signingKey('EdDSA');
  const { jwk: p256 = {} } = await signingKey('ES256');
  const { x = '' } = p256;
  const wrong: readonly JWK[] = [p384, rsa, { kty: 'EC', crv: 'P-256', x, y: x }, { kty: 'OKP', crv: 'Ed25519', x }];
  const token = await sign({ sub: 'alice' });
  for (const bare of [...wrong, ed25519]) {
    for (const jwk of [bare, { ...bare, alg: 'ES256' }]) {
      const keys = (await importKeys({ keys: [jwk] }, algorithmNames))?.keys ?? [];
      t.notOk(await oursAccepts(token, keys), JSON.stringify(jwk));
      t.notOk(await joseAccepts(token, jwk, 'ES256'));
    }
  }
});

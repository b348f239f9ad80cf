import { constants, KeyObject, verify, type webcrypto } from 'node:crypto';
import { type AlgorithmName, algorithms } from '../../src/jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../src/jwt/keys.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';

/** One kind of key, and what it signed. */
export interface Contender {
  readonly name: string;
  /** Fewer if one takes long. */
  readonly count: number;
  readonly key: VerificationKey;
  readonly signed: Buffer<ArrayBuffer>;
  readonly signatures: readonly Buffer<ArrayBuffer>[];
  /** On the event loop, as the gateway does it or could do it. */
  readonly onLoop: (signature: Buffer) => boolean;
}

interface Kind {
  readonly alg: AlgorithmName;
  readonly count: number;
  readonly make: webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams | webcrypto.Algorithm;
  readonly sign: webcrypto.AlgorithmIdentifier | webcrypto.EcdsaParams | webcrypto.RsaPssParams;
  /** Where the gateway uses threads: the hash and the options of `node:crypto`. */
  readonly hash?: string;
  readonly options?: { readonly dsaEncoding: 'ieee-p1363' } | { readonly padding: number; readonly saltLength: number };
}

/** Bytes: header and payload of a token with a few claims. */
const SIGNED = 500;
const DIFFERENT = 50;
const [MANY, FEW] = [1_000, 100];

const rsa = (name: string, modulusLength: number, hash: string) => ({
  name,
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash,
});
const pkcs1 = (bits: number, size: 256 | 384 | 512): Kind => ({
  alg: `RS${size}`,
  count: MANY,
  make: rsa('RSASSA-PKCS1-v1_5', bits, `SHA-${size}`),
  sign: 'RSASSA-PKCS1-v1_5',
  hash: `sha${size}`,
});
const ecdsa = (alg: 'ES256' | 'ES384' | 'ES512', count: number, curve: string, size: number): Kind => ({
  alg,
  count,
  make: { name: 'ECDSA', namedCurve: curve },
  sign: { name: 'ECDSA', hash: `SHA-${size}` },
  hash: `sha${size}`,
  options: { dsaEncoding: 'ieee-p1363' },
});

const kinds: Readonly<Record<string, Kind>> = {
  ES256: ecdsa('ES256', MANY, 'P-256', 256),
  ES384: ecdsa('ES384', FEW, 'P-384', 384),
  ES512: ecdsa('ES512', FEW, 'P-521', 512),
  RS256: pkcs1(2048, 256),
  'RS256, 3072 bits': pkcs1(3072, 256),
  'RS256, 4096 bits': pkcs1(4096, 256),
  RS384: pkcs1(2048, 384),
  RS512: pkcs1(2048, 512),
  PS256: {
    alg: 'PS256',
    count: MANY,
    make: rsa('RSA-PSS', 2048, 'SHA-256'),
    sign: { name: 'RSA-PSS', saltLength: 32 },
    hash: 'sha256',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  },
  EdDSA: { alg: 'EdDSA', count: MANY, make: { name: 'Ed25519' }, sign: 'Ed25519' },
};

export async function makeContenders(): Promise<readonly Contender[]> {
  const secrets = (['HS256', 'HS384', 'HS512'] as const).map((alg) => secretContender(alg));
  const publics = Object.entries(kinds).map(([name, kind]) => publicContender(name, kind));
  return Promise.all([...secrets, ...publics]);
}

async function secretContender(alg: 'HS256' | 'HS384' | 'HS512'): Promise<Contender> {
  const secret = crypto.getRandomValues(new Uint8Array(64));
  const hmac = { name: 'HMAC', hash: `SHA-${alg.slice(2)}` };
  const signing = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign']);
  const [key] = await importSecret(secret, [alg]);
  if (key === undefined) throw new Error(`no key for ${alg}`);
  return { name: alg, count: MANY, key, ...(await signatures('HMAC', signing)), onLoop: never };
}

async function publicContender(name: string, { alg, count, make, sign, ...rest }: Kind): Promise<Contender> {
  const pair = (await crypto.subtle.generateKey(make, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const { kty, crv, x, y, n, e } = jwk;
  const bare = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
  const key = (await importKeys({ keys: [bare] }, [alg]))?.keys[0];
  if (key === undefined) throw new Error(`no key for ${name}`);
  const made = await signatures(sign, pair.privateKey);
  const object = KeyObject.from(pair.publicKey);
  const given = rest.options === undefined ? object : { key: object, ...rest.options };
  const onLoop = (signature: Buffer) => verify(rest.hash ?? null, made.signed, given, signature);
  return { name, count, key, ...made, onLoop };
}

function never(): boolean {
  throw new Error('a secret verifies as the gateway does it');
}

async function signatures(
  algorithm: Kind['sign'],
  key: webcrypto.CryptoKey,
): Promise<Pick<Contender, 'signed' | 'signatures'>> {
  const signed = Buffer.alloc(SIGNED, 'a');
  const signOne = async () => Buffer.from(await crypto.subtle.sign(algorithm, key, signed));
  return { signed, signatures: await Promise.all(Array.from({ length: DIFFERENT }, signOne)) };
}

/** Each signature in turn. */
export function signatureAt({ signatures }: Contender, index: number): Buffer<ArrayBuffer> {
  return signatures[index % signatures.length] as Buffer<ArrayBuffer>;
}

export function verifyOnThread({ key, signed }: Contender, signature: Buffer<ArrayBuffer>): Promise<boolean> {
  return crypto.subtle.verify(algorithms[key.alg].verifying, key.key, signature, signed);
}

export function verifyOnLoop({ key, signed, onLoop }: Contender, signature: Buffer): boolean {
  return key.onLoop === undefined ? onLoop(signature) : key.onLoop.verify(signed, signature);
}

import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPair as generate,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import { inARow } from '../base/in-a-row.ts';
import { es256OfDer } from './ecdsa-der.ts';

/** Everything about an algorithm for signing. */
export const generators = {
  EdDSA: () => promisify(generate)('ed25519'),
  ES256: () => promisify(generate)('ec', { namedCurve: 'P-256' }),
  RS256: () => promisify(generate)('rsa', { modulusLength: 2048 }),
} as const satisfies Record<string, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>;

export type SigningAlgorithm = keyof typeof generators;

export interface SigningKeyPair {
  /** The RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** As published: with `kid`, `alg` and `use`. */
  readonly publicJwk: JWK;
  /** PKCS #8, DER. */
  readonly privateKey: Uint8Array;
}

export async function makeSigningKey(alg: SigningAlgorithm): Promise<SigningKeyPair> {
  const { publicKey, privateKey } = await generators[alg]();
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    alg,
    publicJwk: { ...jwk, kid, alg, use: 'sig' },
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

/** Signs claims as a compact JWS with the given `typ`. */
export type Sign = (typ: string, claims: Readonly<Record<string, unknown>>) => Promise<string>;

export function buildSign({ kid, alg, privateKey }: Pick<SigningKeyPair, 'kid' | 'alg' | 'privateKey'>): Sign {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
  const signText = signers[alg](key);
  const headerFor = encodedHeaders({ alg, kid });
  return async (typ, claims) => {
    const text = `${headerFor(typ)}.${encoded(claims)}`;
    return `${text}.${(await signText(Buffer.from(text, 'ascii'))).toString('base64url')}`;
  };
}

type SignText = (text: Buffer) => Promise<Buffer>;

const onThread = promisify<string, Buffer, KeyObject, Buffer>(signBytes);

/**
 * RFC 7518 §3.3, §3.4, RFC 8037 §3.1. A signature on an elliptic curve takes less time than sending it to a thread, and
 * it takes half of the time after another signature. RSA takes ten times as long, so a thread signs.
 */
const signers: Readonly<Record<SigningAlgorithm, (key: KeyObject) => SignText>> = {
  ES256: (key) => (text) => inARow(() => es256OfDer(signBytes('sha256', text, key))),
  EdDSA: (key) => (text) => inARow(() => signBytes(null, text, key)),
  RS256: (key) => (text) => onThread('sha256', text, key),
};

/** RFC 7515 §5.1. A key signs few types, and the configuration names them, so each header is encoded once. */
function encodedHeaders(rest: object): (typ: string) => string {
  const known = new Map<string, string>();
  return (typ) => {
    const header = known.get(typ) ?? encoded({ ...rest, typ });
    known.set(typ, header);
    return header;
  };
}

/** RFC 7515 §5.1. JSON leaves out claims that are undefined. */
function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The same with HS256 and a shared secret (RFC 7518 §3.2). The secret has no `kid`, because no key set contains it. */
export function buildSecretSign(secret: Uint8Array): Sign {
  const key = createSecretKey(secret);
  const headerFor = encodedHeaders({ alg: 'HS256' });
  return async (typ, claims) => {
    const text = `${headerFor(typ)}.${encoded(claims)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
}

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type AlgorithmName, algorithmNames, algorithms } from '../../jwt/algorithms.ts';
import { type FileContext, readReferred, type Unreadable } from './referred-file.ts';

/** The private key that authenticates the gateway (RFC 7523). */
export interface ClientKey {
  readonly key: KeyObject;
  readonly alg: AlgorithmName;
  /** The `kid` of the JWK; undefined if the file has none. */
  readonly kid: string | undefined;
}

export type ReadClientKey = { readonly ok: true; readonly key: ClientKey } | Unreadable;

const FORMS =
  'a private key as JWK or PEM, without a passphrase: EC P-256, P-384, P-521, Ed25519, RSA of at least 2048 bits';

/** True if the text is a key, where a filename is expected. */
export function isKeyItself(path: string): boolean {
  return /-----BEGIN|^\s*\{/.test(path);
}

export function readClientKey(path: string, place: FileContext): ReadClientKey {
  if (isKeyItself(path)) return unusable('this is a key, and not a filename');
  const file = readReferred(path, place);
  if (!file.ok) return file;
  const text = file.bytes.toString('utf8').trim();
  const named = text.startsWith('{') ? namesIn(text) : {};
  const key = privateKey(text);
  if (key === undefined) return unusable('the file has no usable private key');
  const form = publicForm(key);
  const alg = algorithmNames.find((name) => (named.alg ?? name) === name && fits(form, name));
  return alg === undefined ? unusable('the key fits no algorithm') : { ok: true, key: { key, alg, kid: named.kid } };
}

function unusable(message: string): Unreadable {
  return { ok: false, message, hint: FORMS };
}

function namesIn(text: string): { alg?: unknown; kid?: string } {
  try {
    const { alg, kid } = JSON.parse(text);
    return { alg, ...(typeof kid === 'string' && { kid }) };
  } catch {
    return {};
  }
}

function privateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text.startsWith('{') ? { key: JSON.parse(text), format: 'jwk' } : text);
  } catch {
    return undefined;
  }
}

interface PublicForm {
  readonly kty?: unknown;
  readonly crv?: unknown;
  /** The bits of an RSA modulus. */
  readonly bits: number;
}

/** A JWK cannot express some keys, such as DSA keys. Such a key has no kind. */
function publicForm(key: KeyObject): PublicForm {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  try {
    const { kty, crv } = createPublicKey(key).export({ format: 'jwk' });
    return { kty, crv, bits };
  } catch {
    return { bits };
  }
}

/** The same rule as for verification keys: `kty`, `crv` and the length of the modulus must fit (RFC 7518 §3.3). */
function fits({ kty, crv, bits }: PublicForm, name: AlgorithmName): boolean {
  const row = algorithms[name];
  return row.kty === kty && (row.crv === undefined || row.crv === crv) && bits >= (row.minimumBits ?? 0);
}

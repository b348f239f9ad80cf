import { createHmac, randomBytes } from 'node:crypto';
import { sameBytes, sha256 } from '../../base/secret.ts';

/** The application's key and its stored form. */
export interface NewSessionKey {
  /** 32 bytes in base64. */
  readonly text: string;
  readonly key: Uint8Array;
  /** SHA-256 of the text. */
  readonly hash: Uint8Array;
}

export function makeSessionKey(): NewSessionKey {
  const key = randomBytes(32);
  const text = key.toString('base64');
  return { text, key, hash: sha256(text) };
}

/** True for 32 bytes in base64, which the applications of this exchange expect. */
export function isSessionKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/**
 * True if the signature, in hex, is the HMAC-SHA256 of the empty text with the 32 bytes of the key. Takes the same time without
 * a key.
 */
export function provesKey(signature: string, key: Uint8Array | undefined): boolean {
  const expected = createHmac('sha256', key ?? noKey)
    .update('')
    .digest();
  const shown = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : noSignature;
  return sameBytes(expected, shown) && key !== undefined;
}

const noKey = new Uint8Array(32);
const noSignature = new Uint8Array(32);

import { createHmac, randomBytes } from 'node:crypto';
import { sameBytes, sha256 } from '../../base/secret.ts';

/** The application's key and its stored form. */
export interface NewSessionKey {
  /** 32 bytes of base64. */
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

/** 32 bytes of base64, as the applications of this exchange expect it. */
export function isSessionKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/**
 * Whether the signature, in hex, is HMAC-SHA256 of the empty text under the 32 bytes of the key. Takes the same time
 * without a key.
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

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Seals values that a browser carries for this service, each for one purpose. */
export interface PageSeal {
  /** `value`: becomes JSON. */
  seal(purpose: string, value: object): string;
  /** Undefined if another service sealed the text, or for another purpose. */
  open(purpose: string, sealed: string): unknown;
}

// salt (16) ‖ tag (16) ‖ ciphertext
const layout = { tag: 16, text: 32 } as const;

/** AES-256-GCM. Strangers can request any number of sealed values, so each value has its own key (NIST SP 800-38D §8.3). */
export function buildPageSeal(secret: Uint8Array): PageSeal {
  return {
    seal(purpose, value) {
      const salt = randomBytes(16);
      const { key, nonce } = keyOf(secret, salt);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(purpose, sealed) {
      const plain = opened(secret, Buffer.from(sealed, 'base64url'), purpose);
      return plain === undefined ? undefined : JSON.parse(plain);
    },
  };
}

function opened(secret: Uint8Array, bytes: Buffer, purpose: string): string | undefined {
  if (bytes.length < layout.text) return undefined;
  const { key, nonce } = keyOf(secret, bytes.subarray(0, layout.tag));
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(layout.tag, layout.text));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(layout.text)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

function keyOf(secret: Uint8Array, salt: Uint8Array): { key: Buffer; nonce: Buffer } {
  const derived = Buffer.from(hkdfSync('sha256', secret, salt, 'gatehouse page transaction', 44));
  return { key: derived.subarray(0, 32), nonce: derived.subarray(32) };
}

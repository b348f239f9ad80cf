import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals a text that only the holder of a token can read. The store has only the token's hash, so even the whole database opens
 * nothing. AES-256-GCM under a key from the token (HKDF, RFC 5869). `purpose` separates two values of one token.
 */
export function sealByToken(token: string, purpose: string, text: string): Uint8Array {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(token, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined if another token sealed the value, or for another purpose. */
export function openByToken(token: string, purpose: string, sealed: Uint8Array): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(token, purpose), sealed.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(token: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', `gatehouse ${purpose}`, 32));
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * What only the holder of a token can read: the store keeps its hash, so even the whole database opens nothing.
 * AES-256-GCM under a key from the token (HKDF, RFC 5869); `purpose` keeps two values of one token apart.
 */
export function sealByToken(token: string, purpose: string, text: string): Uint8Array {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(token, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined where the value was not sealed by this token for this purpose. */
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

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { sha256 } from '../../base/secret.ts';
import { StorageUnusable } from './errors.ts';

/** AES-256-GCM with a key-encryption key. `purpose` is authenticated, so a sealed value opens only in its own place. */
export interface Seal {
  /** The id of the key that seals, which is the first key. Each sealed value contains the id of its key. */
  readonly keyId: Uint8Array;
  seal(plain: Uint8Array, purpose: string): Uint8Array;
  open(sealed: Uint8Array, purpose: string): Uint8Array;
}

// version (1) ‖ key id (8) ‖ nonce (12) ‖ tag (16) ‖ ciphertext
const VERSION = 1;
const layout = { keyId: 1, nonce: 9, tag: 21, text: 37 } as const;

/** The place of the key's id in a sealed value. */
export const keyIdPlace = { from: layout.keyId, bytes: layout.nonce - layout.keyId } as const;

/** The first key seals, and all keys open. Each sealed value contains the id of its key. */
export function buildSeal(keys: readonly [Uint8Array, ...Uint8Array[]]): Seal {
  const byId = new Map(keys.map((key) => [keyIdOf(key).toString('hex'), key]));
  return {
    keyId: keyIdOf(keys[0]),
    seal: (plain, purpose) => sealUnder(keys[0], plain, purpose),
    open(sealed, purpose) {
      const id = Buffer.from(sealed.subarray(layout.keyId, layout.nonce)).toString('hex');
      const key = byId.get(id);
      if (key === undefined || sealed[0] !== VERSION)
        throw new StorageUnusable(`no encryption key opens ${purpose}: it is sealed with the key ${id}`);
      return openUnder(key, sealed, purpose);
    },
  };
}

/** 8 bytes that identify a key, and reveal nothing about it. */
export function keyIdOf(key: Uint8Array): Buffer {
  return sha256(Buffer.concat([Buffer.from('gatehouse encryption key id\0'), key])).subarray(0, 8);
}

function sealUnder(key: Uint8Array, plain: Uint8Array, purpose: string): Uint8Array {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), keyIdOf(key), nonce, cipher.getAuthTag(), text]);
}

function openUnder(key: Uint8Array, sealed: Uint8Array, purpose: string): Uint8Array {
  const nonce = sealed.subarray(layout.nonce, layout.tag);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(layout.tag, layout.text));
    return Buffer.concat([decipher.update(sealed.subarray(layout.text)), decipher.final()]);
  } catch (cause) {
    throw new StorageUnusable(`${purpose} is damaged or not the value that was sealed`, { cause });
  }
}

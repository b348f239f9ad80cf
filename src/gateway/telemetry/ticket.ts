import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/**
 * An encrypted decision record. A rejected client can pass it on but cannot read it. The key's holder reads it without
 * searching logs. base64url of: version, key id (4), salt (12), count (6), ciphertext, tag (16). Everything before the
 * ciphertext is authenticated with it.
 *
 * Every process derives its own key from its salt, so a plain count is a nonce that never repeats (NIST SP 800-38D §8.2.1).
 * Replicas may share a key forever, and a ticket needs no random number.
 */
const VERSION = 1;
const SALT = 12;
const COUNT = 6;
const HEAD = 1 + 4 + SALT + COUNT;
const TAG = 16;
/** Longer than any ticket of the gateway. */
const LONGEST = 8192;

export type SealTicket = (record: string) => string;

export function ticketSealer(key: Uint8Array): SealTicket {
  const salt = randomBytes(SALT);
  const derived = derive(key, salt);
  const head = Buffer.concat([Buffer.of(VERSION), keyId(key), salt, Buffer.alloc(COUNT)]);
  const nonce = Buffer.alloc(12);
  let count = 0;
  return (record) => {
    head.writeUIntBE(++count, HEAD - COUNT, COUNT);
    nonce.writeUIntBE(count, 12 - COUNT, COUNT);
    const cipher = createCipheriv('aes-256-gcm', derived, nonce);
    cipher.setAAD(head);
    const sealed = cipher.update(record, 'utf8');
    cipher.final();
    return Buffer.concat([head, sealed, cipher.getAuthTag()]).toString('base64url');
  };
}

export type UnsealedTicket =
  | { readonly kind: 'opened'; readonly record: string }
  /** `not_a_ticket`: another form. `unknown_key`: none of the keys encrypted it. `broken`: changed or truncated. */
  | { readonly kind: 'not_a_ticket' | 'unknown_key' | 'broken' };

export function openTicket(keys: readonly Uint8Array[], ticket: string): UnsealedTicket {
  const bytes = Buffer.from(ticket, 'base64url');
  const sound = ticket.length <= LONGEST && bytes.toString('base64url') === ticket;
  if (!sound || bytes.length < HEAD + TAG || bytes[0] !== VERSION) return { kind: 'not_a_ticket' };
  const key = keys.find((each) => keyId(each).equals(bytes.subarray(1, 5)));
  return key === undefined ? { kind: 'unknown_key' } : unseal(key, bytes);
}

function unseal(key: Uint8Array, bytes: Buffer): UnsealedTicket {
  const head = bytes.subarray(0, HEAD);
  const nonce = Buffer.concat([Buffer.alloc(12 - COUNT), head.subarray(HEAD - COUNT)]);
  const decipher = createDecipheriv('aes-256-gcm', derive(key, head.subarray(5, 5 + SALT)), nonce);
  decipher.setAAD(head).setAuthTag(bytes.subarray(-TAG));
  try {
    const record = Buffer.concat([decipher.update(bytes.subarray(HEAD, -TAG)), decipher.final()]);
    return { kind: 'opened', record: record.toString('utf8') };
  } catch {
    return { kind: 'broken' };
  }
}

function derive(key: Uint8Array, salt: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, 'gatehouse ticket', 32)));
}

function keyId(key: Uint8Array): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, 4);
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The state that a page carries from its GET to its POST. */
export interface Transaction {
  readonly kind: 'login' | 'consent' | 'account' | 'logout';
  /** From the authorization request. Absent if the user came directly. */
  readonly parameters?: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the cookie of this browser, in base64url. */
  readonly browser: string;
  /** The id of the session that saw the page. */
  readonly session?: string;
  /** Distinguishes one page from another. */
  readonly id: string;
  /** NumericDate. */
  readonly expiresAt: number;
}

export interface Transactions {
  seal(transaction: Transaction): string;
  /** Undefined if another service sealed the text, or for another kind of page. The caller checks the expiry. */
  open(sealed: string, kind: Transaction['kind']): Transaction | undefined;
}

// salt (16) ‖ tag (16) ‖ ciphertext
const layout = { tag: 16, text: 32 } as const;

/** AES-256-GCM. Strangers can request any number of sealed pages, so each page has its own key (NIST SP 800-38D §8.3). */
export function buildTransactions(secret: Uint8Array): Transactions {
  return {
    seal({ kind, ...rest }) {
      const salt = randomBytes(16);
      const { key, nonce } = keyOf(secret, salt);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(kind));
      const text = Buffer.concat([cipher.update(JSON.stringify(rest), 'utf8'), cipher.final()]);
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(sealed, kind) {
      const plain = opened(secret, Buffer.from(sealed, 'base64url'), kind);
      return plain && { kind, ...JSON.parse(plain) };
    },
  };
}

function opened(secret: Uint8Array, bytes: Buffer, kind: string): string | undefined {
  if (bytes.length < layout.text) return undefined;
  const { key, nonce } = keyOf(secret, bytes.subarray(0, layout.tag));
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(kind)).setAuthTag(bytes.subarray(layout.tag, layout.text));
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

import { hash } from 'node:crypto';

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC-SHA-256 (RFC 2104) of the joined parts, with text in UTF-8. It equals `createHmac`, and is much faster: for short
 * messages, `createHmac` spends more time on objects than on hashing.
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const short = key.length > BLOCK ? digestOf(key) : key;
  const inner = Buffer.allocUnsafe(BLOCK + lengthOf(parts));
  pad(inner, short, 0x36);
  let at = BLOCK;
  for (const part of parts) at += put(inner, part, at);
  const outer = Buffer.allocUnsafe(BLOCK + DIGEST);
  pad(outer, short, 0x5c);
  outer.write(hash('sha256', inner, 'binary'), BLOCK, 'latin1');
  return digestOf(outer);
}

/** Through hexadecimal text: a digest as bytes needs its own allocation, and takes twice as long. */
function digestOf(message: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', message, 'binary'), 'latin1');
}

function pad(block: Uint8Array, key: Uint8Array, value: number): void {
  for (let index = 0; index < BLOCK; index++) block[index] = index < key.length ? (key[index] ?? 0) ^ value : value;
}

function lengthOf(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0);
}

function put(target: Buffer, part: string | Uint8Array, at: number): number {
  if (typeof part === 'string') return target.write(part, at);
  target.set(part, at);
  return part.length;
}

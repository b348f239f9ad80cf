import type { Finding, Pointer } from './problem.ts';

/** A key of 256 bits, as text: 32 bytes in base64 or base64url. */
export function secretKeyFaults(pointer: Pointer, key: string): readonly Finding[] {
  const bytes = Buffer.from(key, 'base64');
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(key);
  if (isBase64 && bytes.length === 32) return [];
  const message = isBase64 ? `the key has ${bytes.length} bytes; it needs 32` : 'the value is not base64';
  return [{ pointer, message, hint: 'make one with `openssl rand -base64 32`' }];
}

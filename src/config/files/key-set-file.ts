import { type Read, readRegular } from './read-regular.ts';

const LARGEST = 1024 * 1024;

/** Reads a file of `jwks_file`. A pipe is rejected, because reading it might never end. */
export function readKeySetFile(path: string): Read {
  return readRegular(path, { most: LARGEST, waits: false });
}

/** Why the file can give no key; undefined: it has the form of a JWK Set (RFC 7517 §5). */
export function notKeySet(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  if (text.includes('-----BEGIN ')) return 'is PEM';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return 'is not a JSON object';
    if (Array.isArray((value as { keys?: unknown }).keys)) return undefined;
    return 'kty' in value ? 'is a single key' : 'has no list of `keys`';
  } catch {
    return 'is not JSON';
  }
}

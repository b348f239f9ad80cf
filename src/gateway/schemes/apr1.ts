import { createHash } from 'node:crypto';

/** Apache's MD5 password hash, 22 characters: a thousand rounds of MD5 over password and salt. */
export function apr1(password: Uint8Array, salt: string): string {
  const begun = md5(password, '$apr1$', salt, ...mixed(password, md5(password, salt, password)));
  let digest = begun;
  for (let round = 0; round < 1000; round++) digest = md5(...roundParts(round, digest, password, salt));
  return encode(digest);
}

type Part = Uint8Array | string;

/**
 * As many octets of the other digest as the password has. Then, for each bit of the password's length, a NUL or the
 * password's first octet.
 */
function mixed(password: Uint8Array, other: Buffer): readonly Part[] {
  const parts: Part[] = [];
  for (let left = password.length; left > 0; left -= 16) parts.push(other.subarray(0, Math.min(16, left)));
  for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? '\0' : password.subarray(0, 1));
  return parts;
}

function roundParts(round: number, digest: Buffer, password: Uint8Array, salt: string): readonly Part[] {
  const isOdd = round % 2 === 1;
  return [
    isOdd ? password : digest,
    ...(round % 3 === 0 ? [] : [salt]),
    ...(round % 7 === 0 ? [] : [password]),
    isOdd ? digest : password,
  ];
}

function md5(...parts: readonly Part[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ORDER = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

/** crypt's own base64, with the octets in crypt's own order. */
function encode(digest: Buffer): string {
  const at = (index: number) => digest[index] ?? 0;
  const groups = ORDER.map(([a, b, c]) => characters((at(a) << 16) | (at(b) << 8) | at(c), 4));
  return groups.join('') + characters(at(11), 2);
}

function characters(bits: number, count: number): string {
  return Array.from({ length: count }, (_, index) => ALPHABET[(bits >> (6 * index)) & 63]).join('');
}

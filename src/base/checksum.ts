import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters. */
export const checksumLength = 6;

/** CRC-32 in base 62, at the end of a secret: a scanner tells such a secret from noise without asking anybody. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let written = '';
  for (let index = 0; index < checksumLength; index++) {
    written = digits[rest % digits.length] + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
}

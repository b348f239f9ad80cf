import t from 'tap';
import { bitsOf } from '../../src/commands/http-users/api-key-strength.ts';

const keys: readonly (readonly [key: string, bits: number])[] = [
  ['', 0],
  ['12345678901234567890', 66],
  ['0123456789abcdef0123456789abcdef', 128],
  ['0123456789abcdef0123456789abcde', 124],
  ['f81d4fae-7dec-41d0-a765-00a0c91e6bf6', 122],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0],
  ['abcdefghijklmnopqrstuvwxyzab', 131],
  ['Zm9vYmFyYmF6cXV4Zm9vYg', 130],
  ['p@ssw0rd!', 59],
];

for (const [key, bits] of keys)
  t.test(`a key of the form \`${key}\` has at most ${bits} bits`, async (t) => t.equal(bitsOf(key), bits));

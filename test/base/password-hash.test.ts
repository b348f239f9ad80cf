import { argon2Sync } from 'node:crypto';
import t from 'tap';
import {
  currentCost,
  formatPasswordHash,
  isQuicklyGuessed,
  needsRehash,
  type PasswordHash,
  parsePasswordHash,
} from '../../src/base/password-hash.ts';
import fc from '../support/properties.ts';

const salt = 'c29tZXNhbHRzb21lc2FsdA';
const tag = 'xBhdjUbcYAAGLzsNfm8SIJVWCtbUyXkwUBCSpn2PDZ8';
const sound = `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}`;

function read(text: string): PasswordHash {
  const parsed = parsePasswordHash(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

t.test('the function below is the one of RFC 9106 §5.3', async (t) => {
  const made = argon2Sync('argon2id', {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    parallelism: 4,
    tagLength: 32,
    memory: 32,
    passes: 3,
  });
  t.equal(made.toString('hex'), '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659');
});

t.test('a PHC string is split into its parts', async (t) => {
  const { salt, hash, ...cost } = read(sound);
  t.strictSame(cost, currentCost);
  t.equal(Buffer.from(salt).toString(), 'somesaltsomesalt');
  t.equal(hash.length, 32);
});

const size = (min: number, max: number) => fc.integer({ min, max });
const hashes: fc.Arbitrary<PasswordHash> = fc.record({
  memory: size(128, 16_384),
  passes: size(1, 64),
  lanes: size(1, 16),
  salt: fc.uint8Array({ minLength: 8, maxLength: 64 }),
  hash: fc.uint8Array({ minLength: 16, maxLength: 64 }),
});

t.test('a written value reads back, and each value has one spelling', async (t) => {
  fc.assert(
    fc.property(hashes, (value) => {
      const text = formatPasswordHash(value);
      const again = read(text);
      t.strictSame(
        { ...again, salt: [...again.salt], hash: [...again.hash] },
        {
          ...value,
          salt: [...value.salt],
          hash: [...value.hash],
        },
      );
      return formatPasswordHash(again) === text;
    }),
  );
});

t.test('a text with one changed character is another value or invalid, and never throws', async (t) => {
  fc.assert(
    fc.property(fc.nat(sound.length - 1), fc.string({ unit: 'binary-ascii', maxLength: 2 }), (at, put) => {
      const text = sound.slice(0, at) + put + sound.slice(at + 1);
      const parsed = parsePasswordHash(text);
      return parsed.ok ? formatPasswordHash(parsed.value) === text : parsed.message.length > 0;
    }),
  );
  t.pass();
});

t.test('only an Argon2id string of version 19, in one spelling, is accepted', async (t) => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /not an Argon2id hash/],
    ['wonderland', /not an Argon2id hash/],
    [sound.replace('argon2id', 'argon2i'), /`argon2i` hashes are not supported/],
    ['$2b$12$abcdefghijklmnopqrstuv', /`2b` hashes/],
    [sound.replace('v=19', 'v=16'), /version 16/],
    [sound.replace('$v=19', ''), /not an Argon2id hash/],
    [sound.replace('m=19456,t=2', 't=2,m=19456'), /not an Argon2id hash/],
    [sound.replace('t=2', 't=02'), /not an Argon2id hash/],
    [sound.replace('p=1', 'p=1,keyid=Zm9v'), /not an Argon2id hash/],
    [`${sound}=`, /not an Argon2id hash/],
    [`${sound}\n`, /not an Argon2id hash/],
    [sound.replace(salt, `${salt.slice(0, -1)}B`), /not valid base64/],
  ];
  for (const [text, words] of wrong) t.match(parsePasswordHash(text), { ok: false, message: words }, text);
});

t.test('a string that needs more memory or time than the limits is rejected', async (t) => {
  const cost = (text: string) => sound.replace('m=19456,t=2,p=1', text);
  for (const text of ['m=262145,t=1,p=1', 'm=4294967295,t=1,p=1', 'm=7,t=1,p=1', 'm=64,t=65,p=1', 'm=64,t=1,p=17'])
    t.equal(parsePasswordHash(cost(text)).ok, false, text);
  t.match(parsePasswordHash(cost('m=262144,t=5,p=1')), { message: /memory times passes/ });
  t.match(parsePasswordHash(cost('m=64,t=1,p=16')), { message: /8 KiB per lane/ });
  t.equal(parsePasswordHash(sound.replace(tag, tag.slice(0, 20))).ok, false);
  t.equal(parsePasswordHash(sound.replace(salt, 'c29tZQ')).ok, false);
  t.equal(parsePasswordHash(cost('m=262144,t=4,p=16')).ok, true);
});

t.test('a hash with less work, a shorter salt or a shorter hash must be replaced', async (t) => {
  const value = read(sound);
  t.equal(needsRehash(value), false);
  t.equal(needsRehash({ ...value, memory: 47_104, passes: 1 }), false);
  t.equal(needsRehash({ ...value, passes: 1 }), true);
  t.equal(needsRehash({ ...value, salt: new Uint8Array(8) }), true);
  t.equal(needsRehash({ ...value, hash: new Uint8Array(16) }), true);
});

t.test('every choice of the OWASP cheat sheet is enough work', async (t) => {
  const choices = [
    [47_104, 1],
    [19_456, 2],
    [12_288, 3],
    [9216, 4],
    [7168, 5],
  ] as const;
  for (const [memory, passes] of choices) t.equal(isQuicklyGuessed({ memory, passes, lanes: 1 }), false);
  t.equal(isQuicklyGuessed({ memory: 7168, passes: 4, lanes: 1 }), true);
});

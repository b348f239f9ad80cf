import t from 'tap';
import {
  apiKeyChallenge,
  hashApiKey,
  hmacApiKey,
  idOfApiKey,
  isBrokenApiKey,
  isOurApiKey,
  makeApiKey,
} from '../../src/http-auth/api-key.ts';

t.test('a key is a prefix, 256 random bits and a checksum; its id is its beginning', async (t) => {
  const [key, other] = [makeApiKey(), makeApiKey()];
  t.match(key, /^ghk_[\w-]{43}[0-9A-Za-z]{6}$/);
  t.not(key, other);
  t.equal(idOfApiKey(key), key.slice(0, 12));
});

t.test('a key of ours with a missing or changed character is recognized; foreign keys are not checked', async (t) => {
  const key = makeApiKey();
  const other = key.at(10) === 'A' ? 'B' : 'A';
  t.strictSame([key, key.slice(0, -1), key.slice(0, 10) + other + key.slice(11), 'foreign'].map(isBrokenApiKey), [
    false,
    true,
    true,
    false,
  ]);
});

t.test('the challenge names the place', async (t) => {
  t.equal(
    apiKeyChallenge({ realm: 'a "b"', in: 'header', name: 'X-API-Key' }),
    'ApiKey realm="a \\"b\\"", header="X-API-Key"',
  );
  t.equal(apiKeyChallenge({ realm: 'r', in: 'query', name: 'key' }), 'ApiKey realm="r", query="key"');
});

t.test('a key is ours only if it is complete, with its checksum and nothing around it', async (t) => {
  const key = makeApiKey();
  t.ok(isOurApiKey(key));
  for (const other of [`${key}a`, ` ${key}`, `x${key}`, key.slice(0, -1), key.toUpperCase(), '', 'ghk_'])
    t.notOk(isOurApiKey(other), other.replace(key, 'KEY'));
});

/** SHA-256 of `abc` (FIPS 180-2 §B.1), and HMAC-SHA-256 of RFC 4231 §4.3, in base64url. */
const vectors = {
  hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  hmac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
};

t.test('a key is stored as SHA-256, or as HMAC-SHA-256 with a secret, in base64url', async (t) => {
  const inBase64Url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
  t.equal(hashApiKey(Buffer.from('abc')), inBase64Url(vectors.hash));
  t.equal(hmacApiKey(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?')), inBase64Url(vectors.hmac));
});

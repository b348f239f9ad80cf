import t from 'tap';
import { apiKeyChallenge, idOfApiKey, isBrokenApiKey, makeApiKey } from '../../src/http-auth/api-key.ts';

t.test('a key is a prefix, 256 random bits and a check sum; its id is its beginning', async (t) => {
  const [key, other] = [makeApiKey(), makeApiKey()];
  t.match(key, /^ghk_[\w-]{43}[0-9A-Za-z]{6}$/);
  t.not(key, other);
  t.equal(idOfApiKey(key), key.slice(0, 12));
});

t.test('a key of ours that lost a character, or has another one, is told; foreign keys are not judged', async (t) => {
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

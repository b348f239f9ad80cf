import { createHash } from 'node:crypto';
import t from 'tap';
import { isUserKid, subjectHash, USER_KEY_PATH } from '../../src/oauth/user-key.ts';

const sixteenBytes = 'AZaz09-_AAAAAAAAAAAAAA';

t.test('only 16 bytes in base64url are the kid of a user key', async (t) => {
  t.ok(isUserKid(sixteenBytes));
  const thumbprint = createHash('sha256').update('').digest('base64url');
  const others = ['', 'A', sixteenBytes.slice(1), `${sixteenBytes}A`, `${sixteenBytes.slice(1)}+`, thumbprint];
  for (const other of [...others, undefined]) t.notOk(isUserKid(other), String(other));
});

t.test('the hash of a subject is over its issuer, a line feed and its name, in base64url', async (t) => {
  const expected = createHash('sha256').update('https://a.example\nalice').digest('base64url');
  t.equal(subjectHash('https://a.example', 'alice'), expected);
  t.not(subjectHash('https://a.example', 'bob'), expected);
  t.not(subjectHash('https://b.example', 'alice'), expected);
});

t.test('user keys are at the address where gateways of an earlier version expect them', async (t) => {
  t.equal(USER_KEY_PATH, '/oauth2/keys');
});

import t from 'tap';
import { usernameFault, usernameKey } from '../../src/base/username.ts';

t.test('names that differ in case, width or composition are one name (RFC 8265 §3.3)', async (t) => {
  for (const spelling of ['alice', 'ALICE', 'Alice', '\uff21lice']) t.equal(usernameKey(spelling), 'alice');
  t.equal(usernameKey('A\u030asa'), usernameKey('\u00e5sa'));
  t.not(usernameKey('alice'), usernameKey('allce'));
});

t.test('folding a folded name changes nothing', async (t) => {
  for (const name of ['\u0130stanbul', '\u03a3\u03a3', '\u1e9e', '\ufb01ne'])
    t.equal(usernameKey(usernameKey(name)), usernameKey(name));
});

t.test('a name has no unreadable characters', async (t) => {
  for (const name of ['alice', 'Alice Ng', 'alice@example.com', '\u6797'])
    t.equal(usernameFault(name), undefined, name);
  for (const name of ['', ' alice', 'alice ', 'a\nb', 'a\u0000b', 'a\u200bb', 'a\u202eb', 'x'.repeat(256)])
    t.type(usernameFault(name), 'string', JSON.stringify(name));
});

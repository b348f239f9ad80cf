import t from 'tap';
import { buildKnownBrowsers, knownBrowserCookie } from '../../../src/authorization/people/known-browsers.ts';
import { heldClock } from '../../gateway/issuer.ts';

const known = buildKnownBrowsers(Buffer.alloc(32, 7), heldClock());
const alice = { subject: 's-alice', passwordVersion: 1, passwordDigest: undefined };

t.test('after a password change no browser is known: an old cookie lifts no limit for guesses', async (t) => {
  const cookie = known.withAccount(undefined, alice);
  t.match(cookie, knownBrowserCookie.shape);
  const id = known.idFor(cookie, alice);
  t.type(id, 'string');
  t.equal(known.idFor(cookie, { ...alice, passwordVersion: 2 }), undefined);
  t.equal(known.idFor(cookie, { ...alice, passwordDigest: Buffer.alloc(32, 1) }), undefined);
  t.equal(known.idFor(cookie, { ...alice, subject: 's-bob' }), undefined);
  t.equal(known.idFor(cookie, undefined), undefined);
  const again = known.withAccount(cookie, { ...alice, passwordVersion: 2 });
  t.equal(known.idFor(again, { ...alice, passwordVersion: 2 }), id, 'after a login it is known, by the same id');
});

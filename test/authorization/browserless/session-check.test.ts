import { createHmac } from 'node:crypto';
import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { basic } from '../running-service.ts';
import { mini, rival, runSession, type SessionAnswer, session } from '../session-flow.ts';

function sign({ session_key }: Pick<SessionAnswer, 'session_key'>): string {
  return createHmac('sha256', Buffer.from(session_key, 'base64')).update('').digest('hex');
}

t.test('a signature with the session key of the user is valid, in uppercase too', async (t) => {
  const service = await runSession(t);
  const held = await session(service);
  for (const signature of [sign(held), sign(held).toUpperCase()]) {
    const form = { openid: held.openid, signature };
    const response = await service.post('/oauth2/session/check', form, basic(mini));
    t.strictSame([response.status, await response.json()], [200, { valid: true }]);
    t.equal(response.headers.get('cache-control'), 'no-store');
  }
});

t.test('every other signature is invalid_grant', async (t) => {
  const service = await runSession(t);
  const [old, bob] = [await session(service), await session(service, { username: 'bob', password: 'builder' })];
  const held = await session(service);
  const { openid } = held;
  const attempts: Record<string, [Record<string, string>, typeof mini?]> = {
    'a key that was replaced': [{ openid, signature: sign(old) }],
    'the key of another user': [{ openid, signature: sign(bob) }],
    'another client': [{ openid, signature: sign(held) }, rival],
    'an unknown user': [{ openid: 'A'.repeat(43), signature: sign(held) }],
    'the key of nobody': [
      { openid: 'A'.repeat(43), signature: createHmac('sha256', Buffer.alloc(32)).update('').digest('hex') },
    ],
    'no hex': [{ openid, signature: 'x'.repeat(64) }],
    'too short': [{ openid, signature: sign(held).slice(2) }],
    'too long': [{ openid, signature: `${sign(held)}00` }],
    zeros: [{ openid, signature: '0'.repeat(64) }],
    'the text of the key instead of its bytes': [
      { openid, signature: createHmac('sha256', held.session_key).update('').digest('hex') },
    ],
  };
  for (const [title, [form, who = mini]] of Object.entries(attempts)) {
    const response = await service.post('/oauth2/session/check', form, basic(who));
    t.equal(response.status, 400, title);
    t.match(await response.json(), { error: 'invalid_grant' });
  }
  const missing = await service.post('/oauth2/session/check', { openid }, basic(mini));
  t.match(await missing.json(), { error: 'invalid_request' });
  const wrong = await service.post('/oauth2/session/check', {}, basic({ ...mini, secret: 'wrong' }));
  t.equal(wrong.status, 401);
});

t.test('an expired key is no longer valid', async (t) => {
  const clock = settableClock();
  const service = await runSession(t, { clock });
  const held = await session(service);
  const check = () =>
    service.post('/oauth2/session/check', { openid: held.openid, signature: sign(held) }, basic(mini));
  t.equal((await check()).status, 200);
  clock.advance(held.expires_in * 1000);
  t.equal((await check()).status, 400);
});

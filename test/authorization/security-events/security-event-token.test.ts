import t from 'tap';
import { attemptOf } from '../../../src/authorization/security-events/push-event.ts';
import { securityEventClaims } from '../../../src/authorization/security-events/security-event-token.ts';
import { securityEvents } from '../../../src/config/schema/receiver.ts';
import { sentEventNames } from '../../../src/config/schema/security-events.ts';
import { readSecurityEvent } from '../../../src/gateway/receiver/security-event.ts';
import type { EventNotice } from '../../../src/storage/records/records.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const issuer = 'https://idp.example.com/123456789/';
const audience = 'https://sp.example.com/caep';
const user = { format: 'iss_sub', iss: issuer, sub: 'jane.smith@example.com' };
const at = 1615304991;

const notice = (changes: Partial<EventNotice>): EventNotice => ({
  id: 'an-event',
  receiverId: 'sp',
  event: 'session-revoked',
  subject: user.sub,
  createdAt: at,
  attempts: 1,
  ...changes,
});

const claimsOf = (changes: Partial<EventNotice> = {}) =>
  securityEventClaims(notice(changes), { audience }, { issuer, subject: user.sub });

/** The members that CAEP §3 requires, with the values of its examples where this service sends such an event. */
const vectors: readonly [what: string, Partial<EventNotice>, expected: object][] = [
  [
    'all sessions of a user',
    {},
    {
      sub_id: { format: 'complex', user },
      events: { [`${CAEP}session-revoked`]: { event_timestamp: at } },
    },
  ],
  [
    'one session',
    { sessionId: 'dMTlD|1600802906337.16|16008.16' },
    {
      sub_id: { format: 'complex', user, session: { format: 'opaque', id: 'K7j_uZZC-UwoTH6iPv63mx' } },
      events: { [`${CAEP}session-revoked`]: { event_timestamp: at } },
    },
  ],
  [
    'the access of one application',
    { clientId: 'shop' },
    {
      sub_id: { format: 'complex', user, application: { format: 'opaque', id: 'shop' } },
      events: { [`${CAEP}session-revoked`]: { event_timestamp: at } },
    },
  ],
  [
    'a new password',
    { event: 'credential-change', details: { credential_type: 'password', change_type: 'update' } },
    {
      sub_id: { format: 'complex', user },
      events: {
        [`${CAEP}credential-change`]: { credential_type: 'password', change_type: 'update', event_timestamp: at },
      },
    },
  ],
  [
    'other claims',
    { event: 'token-claims-change', details: { claims: { role: 'ro-admin' } } },
    {
      sub_id: { format: 'complex', user },
      events: { [`${CAEP}token-claims-change`]: { event_timestamp: at, claims: { role: 'ro-admin' } } },
    },
  ],
];

for (const [what, changes, expected] of vectors)
  t.test(`a token about ${what} has the members of RFC 8417, RFC 9493 and CAEP, and no others`, async (t) => {
    const { jti, ...claims } = claimsOf(changes);
    t.same(claims, { iss: issuer, iat: at, aud: audience, ...expected });
    t.match(jti, /^[\w-]{43}$/);
  });

t.test('the gateway of this program accepts each token, and ends what it names', async (t) => {
  const rules = {
    issuer,
    subjectIssuer: issuer,
    subjectClaim: 'sub',
    audiences: new Set([audience]),
    now: at + 1,
    skew: 5,
    lifetime: 3600,
    effectOf: (name: keyof typeof securityEvents) => securityEvents[name].fallback,
  };
  for (const [what, changes] of vectors) {
    const received = readSecurityEvent(claimsOf(changes), rules);
    if ('code' in received) t.fail(`${what}: ${received.description}`);
    else t.ok(received.events.length > 0, what);
  }
});

t.test('all attempts for one event at one receiver have one jti, and no other token has it', async (t) => {
  const first = claimsOf();
  t.same(claimsOf({ attempts: 7 }), first);
  t.not(claimsOf({ id: 'another' }).jti, first.jti);
  t.not(claimsOf({ receiverId: 'another' }).jti, first.jti);
});

t.test('two audiences cannot compare the sessions', async (t) => {
  const sub = (audience: string) =>
    securityEventClaims(notice({ sessionId: 'a' }), { audience }, { issuer, subject: 'alice' }).sub_id;
  t.notSame(sub('one'), sub('two'));
});

t.test('each event that the service sends has a URI', async (t) => {
  for (const name of sentEventNames) t.equal(securityEvents[name].uri, `${CAEP}${name}`);
});

const answered = (status: number, body = '') =>
  ({ kind: 'answered', status, headers: {}, body: Buffer.from(body) }) as const;

t.test('2xx ends the attempts, 400 with `err` too, and everything else is retried', async (t) => {
  for (const status of [200, 202, 204, 299]) t.same(attemptOf(answered(status)), { result: 'told' });
  t.same(attemptOf(answered(400, '{"err":"invalid_key","description":"no such key"}')), {
    result: 'refused',
    detail: 'status 400 invalid_key',
  });
  const body = '{"err":"authentication_failed"}';
  t.same(attemptOf(answered(401, body)), { result: 'failed', detail: 'status 401 authentication_failed' });
  for (const text of ['', 'Bad Request', '[]', '{"error":"invalid_request"}', '{"err":1}'])
    t.same(attemptOf(answered(400, text)), { result: 'failed', detail: 'status 400' });
  for (const status of [302, 404, 429, 500, 503]) t.match(attemptOf(answered(status)), { result: 'failed' });
  t.same(attemptOf({ kind: 'failed', reason: 'timeout' }), { result: 'failed', detail: 'timeout' });
});

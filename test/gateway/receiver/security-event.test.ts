import t from 'tap';
import { securityEvents } from '../../../src/config/schema/receiver.ts';
import { type EventRules, readSecurityEvent } from '../../../src/gateway/receiver/security-event.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';
const HOUR = 3_600;

const rules: EventRules = {
  issuer: 'https://idp.example.com/123456789/',
  subjectIssuer: 'https://idp.example.com/123456789/',
  subjectClaim: 'sub',
  audiences: new Set(['https://sp.example.com/caep']),
  now: 1_615_305_160,
  skew: 30,
  lifetime: HOUR,
  effectOf: (name) => securityEvents[name].fallback,
};

const head = {
  iss: rules.issuer,
  jti: '24c63fb56e5a2d77a6b512616ca9fa24',
  iat: 1_615_305_159,
  aud: 'https://sp.example.com/caep',
};
const jane = { format: 'iss_sub', iss: rules.issuer, sub: 'jane.smith@example.com' };
const session = { format: 'opaque', id: 'dMTlD|1600802906337.16|16008.16' };
const tenant = { format: 'iss_sub', iss: rules.issuer, sub: '1234' };
const at = { nbf: 1_615_304_992, until: 1_615_304_992 + HOUR };

/** Title → claims beside the head, and the events that they mean. The first ones follow the examples of CAEP §3. */
const examples: Readonly<Record<string, readonly [claims: object, events: readonly object[]]>> = {
  'session-revoked, with a simple subject': [
    { sub_id: session, events: { [`${CAEP}session-revoked`]: { event_timestamp: 1_615_304_991 } } },
    [{ kind: 'sid', key: session.id, until: at.until }],
  ],
  'session-revoked, with a complex subject': [
    {
      sub_id: { format: 'complex', session, user: jane, tenant },
      events: {
        [`${CAEP}session-revoked`]: { initiating_entity: 'policy', event_timestamp: 1_615_304_991 },
      },
    },
    [
      { kind: 'sid', key: session.id, until: at.until },
      { kind: 'sessionless_nbf', key: jane.sub, ...at },
    ],
  ],
  'session-revoked, with all sessions of a user, as Keycloak writes it': [
    {
      sub_id: { format: 'complex', session: { format: 'opaque', id: 'ALL' }, user: jane },
      events: { [`${CAEP}session-revoked`]: { event_timestamp: 1_615_304_991 } },
    },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'session-revoked, with a complex subject without a session': [
    {
      sub_id: {
        format: 'complex',
        user: jane,
        device: { format: 'iss_sub', iss: rules.issuer, sub: 'e9297990' },
        tenant,
      },
      events: { [`${CAEP}session-revoked`]: { event_timestamp: 1_615_304_991 } },
    },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'session-revoked in a draft: the subject in the event, milliseconds': [
    {
      events: {
        [`${CAEP}session-revoked`]: {
          subject: { ...jane, format: undefined, subject_type: 'iss-sub' },
          event_timestamp: 1_615_304_991_643,
        },
      },
    },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'token-claims-change of one token': [
    {
      sub_id: { format: 'jwt_id', iss: rules.issuer, jti: 'B70BA622-9515-4353-A866-823539EECBC8' },
      events: { [`${CAEP}token-claims-change`]: { event_timestamp: 1_615_304_991, claims: { role: 'ro-admin' } } },
    },
    [{ kind: 'jti', key: 'B70BA622-9515-4353-A866-823539EECBC8', until: at.until }],
  ],
  'token-claims-change of a user': [
    { sub_id: jane, events: { [`${CAEP}token-claims-change`]: { event_timestamp: 1_615_304_991 } } },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'credential-change: a password was changed': [
    {
      sub_id: jane,
      events: {
        [`${CAEP}credential-change`]: {
          credential_type: 'password',
          change_type: 'update',
          event_timestamp: 1_615_304_991,
        },
      },
    },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'credential-change: a credential was added': [
    {
      sub_id: jane,
      events: { [`${CAEP}credential-change`]: { credential_type: 'fido2-roaming', change_type: 'create' } },
    },
    [],
  ],
  'assurance-level-change ends nothing': [
    { sub_id: jane, events: { [`${CAEP}assurance-level-change`]: { current_level: 'nist-aal2' } } },
    [],
  ],
  'account-disabled of RISC': [
    { sub_id: jane, toe: 1_615_304_991, events: { [`${RISC}account-disabled`]: { reason: 'hijacking' } } },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'aliases: the first that tokens contain': [
    {
      sub_id: { format: 'aliases', identifiers: [{ format: 'email', email: 'jane@example.com' }, jane] },
      events: { [`${RISC}sessions-revoked`]: { event_timestamp: 1_615_304_991 } },
    },
    [{ kind: 'sub_nbf', key: jane.sub, ...at }],
  ],
  'a verification of the stream (SSF §8.1.4.1)': [
    {
      sub_id: { format: 'opaque', id: 'f67e39a0a4d34d56b3aa1bc4cff0069f' },
      events: {
        'https://schemas.openid.net/secevent/ssf/event-type/verification': { state: 'VGhpcyBpcyBhbiBleGFtcGxl' },
      },
    },
    [],
  ],
  'a time in the future ends no later logins than the clocks allow': [
    {
      sub_id: jane,
      events: { [`${CAEP}credential-change`]: { change_type: 'update', event_timestamp: 9_999_999_999 } },
    },
    [{ kind: 'sub_nbf', key: jane.sub, nbf: rules.now + 31, until: rules.now + 31 + HOUR }],
  ],
};

for (const [title, [claims, events]] of Object.entries(examples))
  t.test(title, async (t) => {
    t.strictSame(readSecurityEvent({ ...head, ...claims }, rules), { id: head.jti, events });
  });

t.test('the file decides what an event ends', async (t) => {
  const claims = {
    ...head,
    sub_id: { format: 'complex', session, user: jane },
    events: { [`${CAEP}session-revoked`]: { event_timestamp: 1_615_304_991 } },
  };
  const by = (effect: 'session' | 'subject' | 'none') =>
    readSecurityEvent(claims, { ...rules, effectOf: () => effect });
  t.match(by('session'), { events: [{ kind: 'sid' }, { kind: 'sessionless_nbf' }] });
  t.match(by('subject'), { events: [{ kind: 'sub_nbf', key: jane.sub }] });
  t.strictSame(by('none'), { id: head.jti, events: [] });
});

t.test('all sessions of a user whom no token names are refused, and never a session with that name', async (t) => {
  const all = { format: 'opaque', id: 'ALL' };
  const stranger = { format: 'iss_sub', iss: 'https://other.example.com/', sub: 'jane' };
  for (const user of [{ format: 'email', email: 'jane@example.com' }, stranger, undefined]) {
    const sub_id = { format: 'complex', session: all, ...(user && { user }) };
    const read = readSecurityEvent({ ...head, sub_id, events: { [`${CAEP}session-revoked`]: {} } }, rules);
    t.match(read, { code: 'invalid_request' });
  }
});

t.test('an address names a user only if access tokens name users by it', async (t) => {
  const claims = {
    ...head,
    sub_id: { format: 'email', email: 'jane@example.com' },
    events: { [`${CAEP}session-revoked`]: {} },
  };
  t.match(readSecurityEvent(claims, rules), { code: 'invalid_request' });
  t.match(readSecurityEvent(claims, { ...rules, subjectClaim: 'email' }), {
    events: [{ kind: 'sub_nbf', key: 'jane@example.com' }],
  });
});

t.test('ids of another issuer of events do not meet ids of logout tokens', async (t) => {
  const claims = { ...head, sub_id: session, events: { [`${CAEP}session-revoked`]: {} } };
  const own = readSecurityEvent(claims, rules);
  const foreign = readSecurityEvent(claims, { ...rules, subjectIssuer: 'https://sso.example.com' });
  t.match(own, { id: head.jti });
  t.match(foreign, { events: [{ kind: 'sid' }] });
  t.not('id' in foreign && foreign.id, head.jti);
});

t.test('the reason of a rejection controls no terminal', async (t) => {
  const sub_id = { format: 'a\u009b31m\u202e\n' };
  const fault = readSecurityEvent({ ...head, sub_id, events: { [`${CAEP}session-revoked`]: {} } }, rules);
  t.match(fault, { description: /names no user/ });
  t.notMatch(fault, { description: /[\u009b\u202e\n]/ });
});

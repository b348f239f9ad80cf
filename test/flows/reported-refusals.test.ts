import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { secret, signingKey } from '../support/keys.ts';
import {
  CAEP,
  gatewayAudience,
  LOGOUT,
  logoutToken,
  pushEvent,
  securityEvent,
  sendLogout,
} from '../support/reports.ts';
import { authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const PUSH = 'Bearer a-token-for-pushed-events';
const now = Math.floor(Date.now() / 1000);
const HOUR = 3_600;

async function place(t: Test) {
  const upstream = await witness(t);
  const changes = {
    verify: 'jwt',
    events: 'none',
    backchannel_logout: { audiences: ['shop', 'desk'] },
    security_events: { audiences: [gatewayAudience], push: { authorization: PUSH } },
  };
  const { config } = await authorizationServer(t, { algorithms: ['ES256', 'RS256'], changes });
  const running = await gateway(
    t,
    behind(upstream.url, { authorization_servers: config, receiver: { listen: '127.0.0.1:0' } }),
  );
  const alice = await jwt({ scope: 'orders.read', sid: 's1', jti: 'j1' });
  return {
    logoutUrl: `${running.receiverUrl}/backchannel-logout/main`,
    eventUrl: `${running.receiverUrl}/security-events/main`,
    receiverUrl: running.receiverUrl,
    async still() {
      const headers = { authorization: `Bearer ${alice}` };
      return (await fetch(`${running.url}/orders/1`, { headers })).status;
    },
  };
}

type Made = () => Promise<string>;
const ended = { sub: 'alice', sid: 's1' };
const logout =
  (claims: Record<string, unknown>, options: Parameters<typeof logoutToken>[1] = {}): Made =>
  () =>
    logoutToken({ ...ended, ...claims }, options);

/** Signs with the key of an authorization server that this gateway does not know, under a name that it knows. */
async function forged(typ: string, claims: object): Promise<string> {
  const { kid } = await signingKey('ES256');
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(privateKey);
}

const logoutClaims = {
  iss: issuer,
  aud: 'shop',
  iat: now,
  exp: now + 120,
  jti: 'x1',
  events: { [LOGOUT]: {} },
  ...ended,
};

const changed = async (made: Made, part: number) => {
  const parts = (await made()).split('.');
  const bytes = Buffer.from(parts[part] as string, 'base64url');
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
};

const logouts: Readonly<Record<string, Made>> = {
  'not a token': async () => 'logout',
  'an empty token': async () => '',
  'a changed payload': () => changed(logout({}), 1),
  'a changed signature': () => changed(logout({}), 2),
  'no signature': async () => `${(await logout({})()).split('.').slice(0, 2).join('.')}.`,
  'alg none': async () => new UnsecuredJWT(logoutClaims).encode(),
  'a key of another server': () => forged('logout+jwt', logoutClaims),
  'a secret in place of a key': () =>
    new SignJWT(logoutClaims).setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' }).sign(Buffer.from(secret)),
  'an unknown kid': logout({}, { header: { kid: 'unknown' } }),
  'a jwk in the header': logout({}, { header: { jwk: { kty: 'EC' } } }),
  'a critical header': logout({}, { header: { crit: ['b64'], b64: true } }),
  'the type of an access token': logout({}, { header: { typ: 'at+jwt' } }),
  'the type of a security event': logout({}, { header: { typ: 'secevent+jwt' } }),
  'another issuer': logout({ iss: 'https://other.example' }),
  'an issuer with a slash more': logout({ iss: `${issuer}/` }),
  'no issuer': logout({}, { without: ['iss'] }),
  'another audience': logout({ aud: 'other' }),
  'the audience of the API': logout({ aud: 'https://api.example.com' }),
  'an audience that only begins like ours': logout({ aud: 'shop2' }),
  'a list of other audiences': logout({ aud: ['other', 'sho'] }),
  'no audience': logout({}, { without: ['aud'] }),
  'an audience that is an object': logout({ aud: { shop: true } }),
  'no iat': logout({}, { without: ['iat'] }),
  'iat as text': logout({ iat: String(now) }),
  'iat in the future': logout({ iat: now + HOUR, exp: now + 2 * HOUR }),
  'an expired token': logout({ iat: now - HOUR, exp: now - HOUR + 120 }),
  'an old token without exp': logout({ iat: now - HOUR }, { without: ['exp'] }),
  'exp as text': logout({ exp: 'never' }),
  'no jti': logout({}, { without: ['jti'] }),
  'jti as a number': logout({ jti: 7 }),
  'a very long jti': logout({ jti: 'j'.repeat(600) }),
  'no events': logout({}, { without: ['events'] }),
  'events as a list': logout({ events: [LOGOUT] }),
  'another event': logout({ events: { [`${CAEP}session-revoked`]: {} } }),
  'the event as true': logout({ events: { [LOGOUT]: true } }),
  'a nonce': logout({ nonce: 'n' }),
  'an empty nonce': logout({ nonce: '' }),
  'neither sid nor sub': logout({}, { without: ['sid', 'sub'] }),
  'sid as a number': logout({ sid: 1 }),
  'an empty sid': logout({ sid: '' }),
  'sub as a list': logout({ sub: ['alice'] }),
  'a very long sub': logout({ sub: 'a'.repeat(600) }),
  'identifiers that are too long together': logout({
    sub: '\u0001'.repeat(500),
    sid: '\u0001'.repeat(500),
    jti: '\u0001'.repeat(500),
  }),
  'an ID token': logout({ nonce: 'n' }, { header: { typ: 'JWT' }, without: ['events'] }),
};

const alice = { format: 'iss_sub', iss: issuer, sub: 'alice' };
const revoked = { [`${CAEP}session-revoked`]: {} };
const event =
  (
    claims: Record<string, unknown> = {},
    options: Parameters<typeof securityEvent>[2] = {},
    events: object = revoked,
  ): Made =>
  () =>
    securityEvent({ ...events }, { sub_id: alice, ...claims }, options);
const eventClaims = { iss: issuer, aud: gatewayAudience, iat: now, jti: 'x2', events: revoked, sub_id: alice };

const events: Readonly<Record<string, readonly [Made, err: string]>> = {
  'not a token': [async () => 'event', 'invalid_request'],
  'a changed payload': [() => changed(event(), 1), 'invalid_key'],
  'a changed signature': [() => changed(event(), 2), 'invalid_key'],
  'alg none': [async () => new UnsecuredJWT(eventClaims).encode(), 'invalid_request'],
  'a key of another server': [() => forged('secevent+jwt', eventClaims), 'invalid_key'],
  'an unknown kid': [event({}, { header: { kid: 'unknown' } }), 'invalid_key'],
  'no type': [event({}, { header: { typ: undefined } as never }), 'invalid_request'],
  'the type of a logout token': [event({}, { header: { typ: 'logout+jwt' } }), 'invalid_request'],
  'another issuer': [event({ iss: 'https://other.example' }), 'invalid_issuer'],
  'no issuer': [event({}, { without: ['iss'] }), 'invalid_issuer'],
  'another audience': [event({ aud: 'https://other.example' }), 'invalid_audience'],
  'the audience of a client': [event({ aud: 'shop' }), 'invalid_audience'],
  'no audience': [event({}, { without: ['aud'] }), 'invalid_audience'],
  'no jti': [event({}, { without: ['jti'] }), 'invalid_request'],
  'no iat': [event({}, { without: ['iat'] }), 'invalid_request'],
  'iat in the future': [event({ iat: now + HOUR }), 'invalid_request'],
  'an expired token': [event({ exp: now - HOUR }), 'invalid_request'],
  'no event': [event({}, {}, {}), 'invalid_request'],
  'an event that is a text': [event({}, {}, { [`${CAEP}session-revoked`]: 'now' }), 'invalid_request'],
  'no subject': [event({}, { without: ['sub_id'] }), 'invalid_request'],
  'a subject of another issuer': [event({ sub_id: { ...alice, iss: 'https://other.example' } }), 'invalid_request'],
  'a subject by mail': [event({ sub_id: { format: 'email', email: 'alice@example.com' } }), 'invalid_request'],
  'a subject without a format': [event({ sub_id: { sub: 'alice' } }), 'invalid_request'],
  'a subject that is a text': [event({ sub_id: 'alice' }), 'invalid_request'],
  'a complex subject of a device only': [
    event({ sub_id: { format: 'complex', device: { format: 'opaque', id: 'd' } } }),
    'invalid_request',
  ],
};

t.test('no logout token that is forged, foreign, old or of a wrong form ends anything', async (t) => {
  const { logoutUrl, still } = await place(t);
  for (const [name, made] of Object.entries(logouts)) {
    const answer = await sendLogout(logoutUrl, await made());
    t.match(await answer.json(), { error: 'invalid_request' }, name);
    t.equal(answer.status, 400, name);
    t.equal(await still(), 200, name);
  }
  t.equal((await sendLogout(logoutUrl, await logout({})())).status, 200, 'the token that all of them were made from');
  t.equal(await still(), 401);
});

t.test('no security event that is forged, foreign, old or of a wrong form ends anything', async (t) => {
  const { eventUrl, still } = await place(t);
  for (const [name, [made, err]] of Object.entries(events)) {
    const answer = await pushEvent(eventUrl, await made(), PUSH);
    t.match(await answer.json(), { err, description: /./ }, name);
    t.equal(answer.status, 400, name);
    t.equal(await still(), 200, name);
  }
  t.equal((await pushEvent(eventUrl, await event()(), PUSH)).status, 202);
  t.equal(await still(), 401);
});

t.test('requests of a wrong form are refused', async (t) => {
  const { receiverUrl, logoutUrl, eventUrl, still } = await place(t);
  const token = await logout({})();
  const form = (body: string) => ({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const cases: readonly (readonly [string, RequestInit, number])[] = [
    [logoutUrl, { method: 'GET' }, 404],
    [`${logoutUrl}?logout_token=${token}`, form(''), 400],
    [logoutUrl, form(`logout_token=${token}&logout_token=${token}`), 400],
    [
      logoutUrl,
      {
        method: 'POST',
        body: JSON.stringify({ logout_token: token }),
        headers: { 'content-type': 'application/json' },
      },
      415,
    ],
    [logoutUrl, form(`logout_token=${'x'.repeat(40_000)}`), 413],
    [`${receiverUrl}/backchannel-logout/other`, form(`logout_token=${token}`), 404],
    [`${receiverUrl}/backchannel-logout/__proto__`, form(`logout_token=${token}`), 404],
    [`${receiverUrl}/security-events/other`, { method: 'POST', body: token }, 404],
    [
      eventUrl,
      { method: 'POST', body: token, headers: { authorization: PUSH, 'content-type': 'application/jwt' } },
      415,
    ],
    [`${receiverUrl}/`, {}, 404],
  ];
  for (const [url, init, status] of cases) t.equal((await fetch(url, init)).status, status, `${init.method} ${url}`);
  t.equal(await still(), 200);
});

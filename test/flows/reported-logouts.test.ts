import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { CAEP, gatewayAudience, logoutToken, pushEvent, securityEvent, sendLogout } from '../support/reports.ts';
import { authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const PUSH = 'Bearer a-token-for-pushed-events';

const reports = {
  verify: 'jwt',
  events: 'none',
  backchannel_logout: { audiences: ['shop', 'desk'] },
  security_events: { audiences: [gatewayAudience], push: { authorization: PUSH } },
};

async function place(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const { config } = await authorizationServer(t, {
    algorithms: ['ES256', 'RS256'],
    changes: { ...reports, ...changes },
  });
  const running = await gateway(
    t,
    behind(upstream.url, { authorization_servers: config, receiver: { listen: '127.0.0.1:0' } }),
  );
  const said = async (token: string) => {
    const answer = await fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
    const { code } = answer.ok ? { code: undefined } : ((await answer.json()) as { code: string });
    return code ?? String(answer.status);
  };
  const logoutUrl = `${running.receiverUrl}/backchannel-logout/main`;
  const eventUrl = `${running.receiverUrl}/security-events/main`;
  return { ...running, said, logoutUrl, eventUrl };
}

const token = (claims: object = {}) => jwt({ scope: 'orders.read', ...claims });

t.test('a logout ends the tokens of its session, and no others', async (t) => {
  const { said, logoutUrl } = await place(t);
  const [ended, other, sessionless, bob] = await Promise.all([
    token({ sid: 's1' }),
    token({ sid: 's2' }),
    token(),
    token({ sub: 'bob' }),
  ]);
  for (const each of [ended, other, sessionless, bob]) t.equal(await said(each), '200');
  const answer = await sendLogout(logoutUrl, await logoutToken({ sid: 's1', sub: 'alice' }));
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.equal(await said(ended), 'token_revoked');
  t.equal(await said(other), '200', 'another session of the same user');
  t.equal(await said(sessionless), 'token_revoked', 'a token of the user that names no session');
  t.equal(await said(bob), '200', 'another user');
});

t.test('a logout without a session ends what its user got before', async (t) => {
  const { said, logoutUrl } = await place(t);
  const now = Math.floor(Date.now() / 1000);
  const [before, after, bob] = await Promise.all([
    token({ sid: 's1' }),
    token({ iat: now + 1 }),
    token({ sub: 'bob' }),
  ]);
  t.equal((await sendLogout(logoutUrl, await logoutToken({ sub: 'alice', iat: now }))).status, 200);
  t.equal(await said(before), 'token_revoked');
  t.equal(await said(after), '200', 'a token from the next second');
  t.equal(await said(bob), '200');
});

t.test('a token that was accepted once has no second effect', async (t) => {
  const { logoutUrl, eventUrl } = await place(t);
  const logout = await logoutToken({ sub: 'alice' });
  t.equal((await sendLogout(logoutUrl, logout)).status, 200);
  const again = await sendLogout(logoutUrl, logout);
  t.match(await again.json(), { error: 'invalid_request', error_description: /jti/ });
  t.equal(again.status, 400);
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: userAlice });
  t.equal((await pushEvent(eventUrl, event, PUSH)).status, 202);
  t.equal((await pushEvent(eventUrl, event, PUSH)).status, 202, 'its sender may have missed the answer');
});

const userAlice = { format: 'iss_sub', iss: issuer, sub: 'alice' };

t.test('a pushed event ends sessions, users and tokens, by the form of its subject', async (t) => {
  const subjects = [
    { sub_id: { format: 'opaque', id: 's1' }, ends: ['s1'] },
    { sub_id: userAlice, ends: ['s1', 's2', 'none'] },
    { sub_id: { format: 'complex', session: { format: 'opaque', id: 's1' }, user: userAlice }, ends: ['s1', 'none'] },
    { sub_id: { format: 'jwt_id', iss: issuer, jti: 'j2' }, ends: ['s2'] },
  ];
  for (const { sub_id, ends } of subjects) {
    const { said, eventUrl } = await place(t);
    const tokens = { s1: await token({ sid: 's1' }), s2: await token({ sid: 's2', jti: 'j2' }), none: await token() };
    const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id });
    const answer = await pushEvent(eventUrl, event, PUSH);
    t.equal(answer.status, 202, await answer.text());
    for (const [name, each] of Object.entries(tokens))
      t.equal(await said(each), ends.includes(name) ? 'token_revoked' : '200', `${JSON.stringify(sub_id)}: ${name}`);
  }
});

/** Event → who is reported, and which of the tokens of this user end. */
const chosen: readonly (readonly [event: string, user: string, ends: readonly string[]])[] = [
  ['caep/event-type/session-revoked', 'alice', ['s1', 's2', 'none']],
  ['caep/event-type/credential-change', 'bob', []],
  ['caep/event-type/token-claims-change', 'carol', ['s1', 'none']],
  // Not in the file, so the default holds.
  ['risc/event-type/account-disabled', 'dave', ['s1', 's2', 'none']],
];

t.test('the file decides what an event ends', async (t) => {
  const events = { 'session-revoked': 'subject', 'credential-change': 'none', 'token-claims-change': 'session' };
  const { said, eventUrl } = await place(t, { security_events: { ...reports.security_events, events } });
  for (const [event, sub, ends] of chosen) {
    const name = (sid: string) => `${sub}-${sid}`;
    const tokens = {
      s1: await token({ sub, sid: name('s1') }),
      s2: await token({ sub, sid: name('s2') }),
      none: await token({ sub }),
    };
    const session = { format: 'opaque', id: name('s1') };
    const sub_id = { format: 'complex', user: { format: 'iss_sub', iss: issuer, sub }, session };
    const report = await securityEvent({ [`https://schemas.openid.net/secevent/${event}`]: {} }, { sub_id });
    t.equal((await pushEvent(eventUrl, report, PUSH)).status, 202);
    for (const [sid, each] of Object.entries(tokens))
      t.equal(await said(each), ends.includes(sid) ? 'token_revoked' : '200', `${event}: ${sid}`);
  }
});

t.test('a pushed event without the secret is refused before its body', async (t) => {
  const { eventUrl, said } = await place(t);
  const alice = await token();
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: userAlice });
  for (const authorization of [undefined, 'Bearer other', `${PUSH}x`, PUSH.toLowerCase()]) {
    const answer = await pushEvent(eventUrl, event, authorization);
    t.equal(answer.status, 401);
    t.match(await answer.json(), { err: 'authentication_failed' });
  }
  t.equal(await said(alice), '200');
});

t.test('events may name users by another claim of access tokens, and by another issuer', async (t) => {
  const org = 'https://org.example';
  const { security_events } = reports;
  const { said, eventUrl } = await place(t, {
    backchannel_logout: undefined,
    security_events: { ...security_events, issuer: org, subject_claim: 'uid' },
  });
  const [alice, bob] = [await token({ sub: 'alice', uid: '00u1' }), await token({ sub: '00u1', uid: '00u2' })];
  const sub_id = { format: 'complex', user: { format: 'iss_sub', iss: org, sub: '00u1' } };
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { iss: org, sub_id });
  t.equal((await pushEvent(eventUrl, event, PUSH)).status, 202);
  t.equal(await said(alice), 'token_revoked');
  t.equal(await said(bob), '200', 'another user, whose `sub` is the same text');
});

t.test('a token that does not show its age is rejected, because no report could end it for certain', async (t) => {
  const { said } = await place(t);
  t.equal(await said(await token({ iat: undefined })), 'token_malformed');
});

t.test('the log says what arrived, and what a sender has wrong', async (t) => {
  const { log, receiverUrl, logoutUrl, eventUrl } = await place(t);
  const lines = () =>
    log.flatMap(({ msg, server, report, reason, path, ends }) =>
      String(msg).startsWith('receiver: ') ? [{ msg, server, report, reason, path, ends }] : [],
    );
  await sendLogout(`${logoutUrl}/`, await logoutToken({ sid: 's1' }));
  await sendLogout(logoutUrl, await logoutToken({ sid: 's1', aud: 'orders-api' }));
  for (const path of ['/backchannel_logout/main', '/other'])
    await sendLogout(`${receiverUrl}${path}?logout_token=secret`, await logoutToken({ sid: 's1' }));
  await pushEvent(eventUrl, await securityEvent({}), 'Bearer wrong');
  t.match(lines(), [
    { msg: 'receiver: accepted', server: 'main', report: 'logout', ends: 1 },
    { msg: 'receiver: rejected', report: 'logout', reason: 'aud names no configured audience: "orders-api"' },
    { msg: 'receiver: refused', reason: 'unknown_path', path: '/backchannel_logout/main' },
    { msg: 'receiver: refused', server: 'main', report: 'event', reason: 'not_authenticated' },
  ]);
  t.equal(lines().length, 4, 'one line a minute for each reason');
});

t.test('the streams of an ended session are hung up', async (t) => {
  const upstream = await witness(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  );
  const { config } = await authorizationServer(t, { changes: reports });
  const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', end_with: 'token' }];
  const running = await gateway(
    t,
    behind(upstream.url, { authorization_servers: config, routes, receiver: { listen: '127.0.0.1:0' } }),
  );
  const over = new AbortController();
  const open = async (sid: string) => {
    const headers = { authorization: `Bearer ${await token({ sid })}` };
    const answer = await fetch(`${running.url}/orders/1`, { headers, signal: over.signal });
    const stream = { isOver: false };
    void answer
      .text()
      .catch(() => {})
      .finally(() => (stream.isOver = true));
    return stream;
  };
  const [ended, other] = [await open('s1'), await open('s2')];
  await sendLogout(`${running.receiverUrl}/backchannel-logout/main`, await logoutToken({ sid: 's1' }));
  t.ok(await until(() => ended.isOver));
  t.notOk(other.isOver);
  over.abort();
});

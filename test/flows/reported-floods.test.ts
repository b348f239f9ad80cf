import { createServer } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { CAEP, gatewayAudience, logoutToken, pushEvent, securityEvent, sendLogout } from '../support/reports.ts';
import { serving } from '../support/serving.ts';
import { authorizationServer } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const PUSH = 'Bearer a-token-for-pushed-events';
const SLOW = 'https://slow.example';

/** Waits ten seconds for connections to end: 16 s, and more than 30 s on two cores that other programs use. */
t.setTimeout(120_000);

/** A server that reports, and another one whose keys never arrive. */
async function place(t: Test) {
  const upstream = await witness(t);
  const reports = {
    backchannel_logout: { audiences: ['shop'] },
    security_events: { audiences: [gatewayAudience], push: { authorization: PUSH } },
  };
  const { config } = await authorizationServer(t, { changes: { verify: 'jwt', events: 'none', ...reports } });
  const silent = await serving(
    t,
    createServer(() => {}),
  );
  const slow = {
    issuer: SLOW,
    jwks_uri: `${silent}/jwks`,
    audience: 'slow',
    verify: 'jwt',
    events: 'none',
    ...reports,
  };
  const authorization_servers = { ...config, slow };
  const { receiverUrl = '' } = await gateway(
    t,
    behind(upstream.url, { authorization_servers, receiver: { listen: '127.0.0.1:0' } }),
  );
  return { receiverUrl, logoutUrl: `${receiverUrl}/backchannel-logout/main` };
}

t.test('a form with thousands of parameters costs no more than its length', async (t) => {
  const { logoutUrl } = await place(t);
  const began = performance.now();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(logoutUrl, { method: 'POST', headers, body: '&a'.repeat(16_000) });
  t.equal(answer.status, 400);
  t.ok(performance.now() - began < 2_000);
});

t.test('a flood of logouts in the name of a server whose keys are slow keeps no other report waiting', async (t) => {
  const { receiverUrl, logoutUrl } = await place(t);
  const forged = await logoutToken({ iss: SLOW, sid: 's1' });
  const flood = Array.from({ length: 300 }, () => sendLogout(`${receiverUrl}/backchannel-logout/slow`, forged));
  const busy = await Promise.race(flood.map(async (sent) => (await sent).status));
  t.equal(busy, 503, 'it has no more places');
  t.equal((await sendLogout(logoutUrl, await logoutToken({ sid: 's1' }))).status, 200);
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: { format: 'opaque', id: 's2' } });
  t.equal((await pushEvent(`${receiverUrl}/security-events/main`, event, PUSH)).status, 202);
  await Promise.allSettled(flood);
});

/** What a stranger sends, and then no more, or a byte every half second. */
const strangers: Readonly<Record<string, readonly [first: string, then: string]>> = {
  'nothing at all': ['', ''],
  'a slow head': ['POST /backchannel-logout/main HTTP/1.1\r\nHost: receiver\r\n', 'X: y\r\n'],
  'a slow body': [
    'POST /backchannel-logout/main HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\n',
    'a',
  ],
  'chunks without end': [
    'POST /backchannel-logout/main HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\na\r\n',
  ],
  'a request, and nothing after it': ['GET / HTTP/1.1\r\nHost: receiver\r\n\r\n', ''],
};

t.test('no stranger holds a connection for more than about ten seconds', async (t) => {
  const { hostname, port } = new URL((await place(t)).receiverUrl);
  const open = new Set(Object.keys(strangers));
  for (const [name, [first, then]] of Object.entries(strangers)) {
    const socket = connect(Number(port), hostname)
      .resume()
      .on('error', () => {});
    socket.write(first);
    const more = setInterval(() => socket.write(then), 500);
    socket.on('close', () => {
      clearInterval(more);
      open.delete(name);
    });
    t.teardown(() => socket.destroy());
  }
  const began = performance.now();
  t.ok(await until(() => open.size === 0), [...open].join());
  t.ok(performance.now() - began < 20_000);
});

t.test('an answer with a description says its language, and a 401 names its scheme', async (t) => {
  const { receiverUrl } = await place(t);
  const url = `${receiverUrl}/security-events/main`;
  const wrong = await pushEvent(url, 'event', PUSH);
  t.equal(wrong.status, 400);
  t.equal(wrong.headers.get('content-language'), 'en');
  t.match(wrong.headers.get('content-type'), /^application\/json/);
  const unknown = await pushEvent(url, 'event', 'Bearer other');
  t.equal(unknown.status, 401);
  t.equal(unknown.headers.get('www-authenticate'), 'Bearer');
});

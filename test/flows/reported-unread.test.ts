import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import { CAEP, gatewayAudience, securityEvent } from '../support/reports.ts';
import { authorizationServer } from '../support/tokens.ts';

const PUSH = 'Bearer a-token-for-pushed-events';

async function place(t: Test) {
  const security_events = { audiences: [gatewayAudience], push: { authorization: PUSH } };
  const { config } = await authorizationServer(t, { changes: { verify: 'jwt', events: 'none', security_events } });
  const receiver = { listen: '127.0.0.1:0' };
  const { receiverUrl = '' } = await gateway(
    t,
    behind('http://127.0.0.1:9', { authorization_servers: config, receiver }),
  );
  return { receiverUrl };
}

/** What a sender waits for, or has sent already → after the head. */
const unsent: Readonly<Record<string, readonly [fields: string, body: string]>> = {
  'no body at all': ['', ''],
  'a part of the body': ['', 'x'.repeat(1_000)],
  'a sender that waits': ['Expect: 100-continue\r\n', ''],
};

t.test('a pushed event without the secret gets 401 after its head, and its body is never read', async (t) => {
  const { receiverUrl } = await place(t);
  const port = Number(new URL(receiverUrl).port);
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: { format: 'opaque', id: 's1' } });
  const head = (path: string, authorization: string, fields: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/secevent+jwt\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n${fields}\r\n`;
  for (const [what, [fields, body]] of Object.entries(unsent))
    for (const [path, status] of [
      ['/security-events/main', 401],
      ['/security-events/unknown', 404],
      ['/elsewhere', 404],
      ['/security-events/%zz', 404],
      [`/security-events/${'x'.repeat(200)}`, 404],
    ] as const) {
      const client = await open(t, port);
      client.send(head(path, 'Bearer wrong', fields, 30_000) + body);
      const answer = await client.read();
      t.equal(answer?.status, status, `${path}: ${what}`);
      t.strictSame(answer?.interim, [], 'the gateway does not request the body');
      await client.untilClosed();
      t.equal(client.unread.length, 0, 'it is the only answer, and the connection ends');
    }
  // After the head of a refused request, nothing on its connection counts, also not a request with the secret.
  const client = await open(t, port);
  const right = head('/security-events/main', PUSH, '', event.length) + event;
  client.send(`${head('/security-events/main', 'Bearer wrong', '', 4)}body${right}`);
  t.equal((await client.read())?.status, 401);
  t.equal(await client.read(), undefined);
});

t.test('a sender with the secret that waits for 100 gets it, and then 202', async (t) => {
  const { receiverUrl } = await place(t);
  const event = await securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: { format: 'opaque', id: 's1' } });
  const client = await open(t, Number(new URL(receiverUrl).port));
  client.send(
    `POST /security-events/main HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/secevent+jwt\r\nAuthorization: ${PUSH}\r\nContent-Length: ${event.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await client.arrived('HTTP/1.1 100 Continue\r\n\r\n'.length);
  client.send(event);
  const answer = await client.read();
  t.strictSame([answer?.interim, answer?.status], [[100], 202]);
});

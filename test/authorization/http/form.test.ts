import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { serverLimits } from '../../../src/authorization/http/server-limits.ts';
import { basic, run, shop } from '../running-service.ts';

const grant = 'grant_type=client_credentials';

t.test('T46: a form of 64 KiB is accepted, one byte more is 413', async (t) => {
  const service = await run(t);
  const padded = (length: number) => `${grant}&x=`.padEnd(length, 'a');
  t.equal((await service.post('/oauth2/token', padded(65_536), basic(shop))).status, 200);
  const refused = await service.post('/oauth2/token', padded(65_537), basic(shop));
  t.equal(refused.status, 413);
  t.match(await refused.json(), { error: 'invalid_request' });
});

t.test('T46: the size of a chunked form is checked as it arrives', async (t) => {
  const service = await run(t);
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('a'.repeat(8192)));
    },
  });
  const options = {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  } as RequestInit;
  const outcome = await fetch(`${service.url}/oauth2/token`, options).then(
    ({ status }) => status,
    () => 'connection closed',
  );
  t.ok(outcome === 413 || outcome === 'connection closed', `${outcome}`);
});

t.test('T46: a body that does not arrive in time is 408, and its connection is closed', async (t) => {
  const limits = { ...serverLimits, headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 };
  const service = await run(t, { limits });
  for (const begun of [
    'POST /oauth2/token HTTP/1.1\r\nHost: a\r\n',
    `POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\n${grant}`,
  ]) {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => (answer += text));
    socket.write(begun);
    await once(socket, 'close');
    t.match(answer, /^HTTP\/1.1 408 /);
    t.match(answer, /no-store/);
  }
});

t.test('bytes that are not HTTP get 400 in JSON, a long head gets 431', async (t) => {
  const service = await run(t);
  for (const [bytes, status] of [
    ['GARBAGE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket
      .setEncoding('latin1')
      .on('data', (text) => (answer += text))
      .on('error', () => {});
    socket.write(bytes);
    await once(socket, 'close');
    t.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer.slice(0, 40));
  }
});

t.test('a compressed form is refused', async (t) => {
  const service = await run(t);
  t.equal((await service.post('/oauth2/token', grant, { ...basic(shop), 'content-encoding': 'gzip' })).status, 400);
});

t.test('a repeated Content-Type or Authorization header is refused', async (t) => {
  const service = await run(t);
  const { authorization } = basic(shop);
  const doubled = [
    [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['content-type', 'application/x-www-form-urlencoded'],
      ['authorization', authorization],
    ],
    [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['authorization', authorization],
      ['authorization', authorization],
    ],
  ] as [string, string][][];
  for (const lines of doubled) {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(
      `POST /oauth2/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}Content-Length: ${grant.length}\r\n\r\n${grant}`,
    );
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    t.match(answer, /^HTTP\/1.1 400 /);
  }
});

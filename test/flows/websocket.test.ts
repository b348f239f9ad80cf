import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import { answerText, type RawConnection, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const handshake = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Protocol', 'chat, superchat'],
] as const;

const switching =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n';

const accept: Script = ({ socket }) => socket.write(`${switching}\r\n`);

function upgrade(target: string, headers: readonly (readonly [string, string])[] = []): Buffer {
  return requestText({ target, headers: [...handshake, ...headers] });
}

/** What the upstream got after the head. */
function tunnelled({ received }: RawConnection): string {
  return received.slice(received.indexOf('\r\n\r\n') + 4);
}

t.test('a handshake without a token is 401, and the upstream gets nothing', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(upgrade('/orders/live'));
  const response = await client.read();
  t.equal(response?.status, 401);
  t.equal(response?.header('www-authenticate'), 'Bearer realm="api", scope="orders.read"');
  t.equal(upstream.connections.length, 0);
});

t.test('with a token the upstream gets the handshake first, and its 101 arrives unchanged', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(
    upgrade('/orders/live?a=b', [
      bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' })),
      ['X-Auth-Subject', 'mallory'],
    ]),
  );
  const response = await client.read();
  t.equal(response?.status, 101);
  t.equal(response?.header('sec-websocket-accept'), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  t.equal(response?.header('upgrade')?.toLowerCase(), 'websocket');
  t.equal(response?.header('connection')?.toLowerCase(), 'upgrade');
  const received = upstream.connections[0]?.received ?? '';
  t.match(received, /^GET \/orders\/live\?a=b HTTP\/1\.1\r\n/);
  t.match(received, /\r\nupgrade: websocket\r\n/i);
  t.match(received, /\r\nsec-websocket-protocol: chat, superchat\r\n/i);
  t.match(received, /\r\nx-auth-subject: alice\r\n/i);
  t.notMatch(received, /mallory|authorization/i);
});

t.test('a 101 is never sent before the upstream has switched', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const { port } = await gateway(
    t,
    behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout: { response: '300ms' } } } }),
  );
  const client = await open(t, port);
  client.send(upgrade('/public/live'));
  t.equal((await client.read())?.status, 504);
});

t.test('an answer other than 101 is relayed unchanged', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) =>
    socket.write(answerText('no sockets here', { status: '403 Forbidden', headers: ['x-reason: because'] })),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(upgrade('/public/live'));
  const response = await client.read();
  t.equal(response?.status, 403);
  t.equal(response?.header('x-reason'), 'because');
  t.equal(response?.body.toString(), 'no sockets here');
});

t.test('an unreachable upstream is 502', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.destroy());
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(upgrade('/public/live'));
  t.equal((await client.read())?.status, 502);
});

t.test('bytes pass both ways unchanged', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(upgrade('/public/live'));
  t.equal((await client.read())?.status, 101);
  const binary = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256));
  client.send(binary);
  const connection = upstream.connections[0] as RawConnection;
  t.ok(await until(() => tunnelled(connection).length === binary.length));
  t.equal(tunnelled(connection), binary.toString('latin1'));
  connection.socket.write(binary);
  await client.arrived(binary.length);
  t.same(client.unread, binary);
});

t.test('data in the same packet as the head is not lost, on either side', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(`${switching}\r\nwelcome`));
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(Buffer.concat([upgrade('/public/live'), Buffer.from('eager')]));
  t.equal((await client.read())?.status, 101);
  await client.arrived(7);
  t.equal(client.unread.toString(), 'welcome');
  t.ok(await until(() => tunnelled(upstream.connections[0] as RawConnection) === 'eager'));
});

t.test('when the client closes, the upstream is closed', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url));
  for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const client = await open(t, port);
    client.send(upgrade('/public/live'));
    t.equal((await client.read())?.status, 101);
    client.send('goodbye');
    const connection = upstream.connections.at(-1) as RawConnection;
    t.ok(await until(() => tunnelled(connection) === 'goodbye'), `${leave}: the last bytes arrive`);
    client.socket[leave]();
    t.ok(await until(() => connection.ended || connection.closed), leave);
  }
});

t.test('when the upstream closes, the client is closed', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url));
  for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const client = await open(t, port);
    client.send(upgrade('/public/live'));
    t.equal((await client.read())?.status, 101);
    const { socket } = upstream.connections.at(-1) as RawConnection;
    if (leave === 'end') socket.write('goodbye');
    socket[leave]();
    await client.untilClosed();
    if (leave === 'end') t.equal(client.unread.toString(), 'goodbye', 'the last bytes arrive');
    t.ok(client.closed, leave);
  }
});

t.test('an upstream that switches to an unrequested protocol is 502', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(`${switching}\r\n`));
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target: '/public/plain' }));
  t.equal((await client.read())?.status, 502, 'a 101 without an upgrade is no answer');
});

t.test('a request with a body, with POST or in HTTP/1.0 is not a handshake', async (t) => {
  const upstream = await rawUpstream(t, ({ socket, received }) =>
    socket.write(/\r\nupgrade:/i.test(received) ? `${switching}\r\n` : answerText('plain')),
  );
  const { port } = await gateway(t, behind(upstream.url));
  const requests = [
    requestText({ method: 'POST', target: '/public/a', headers: handshake, body: '' }),
    requestText({ target: '/public/a', headers: handshake, body: 'hello' }),
    requestText({ target: '/public/a', headers: handshake, version: 'HTTP/1.0' }),
  ];
  for (const bytes of requests) {
    const client = await open(t, port);
    client.send(bytes);
    const status = (await client.read())?.status;
    t.ok(status === 200 || status === 400, `${status}`);
  }
});

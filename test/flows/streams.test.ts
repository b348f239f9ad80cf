import type { ServerResponse } from 'node:http';
import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { isLong } from '../support/long.ts';
import { random } from '../support/random.ts';
import { connectTo, open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { follow, witness } from '../support/witness.ts';

/** Many more cases with GATEHOUSE_LONG=1: 1 s in .ci/run on a busy machine. */
t.setTimeout(isLong ? 1_800_000 : 600_000);

const target = '/public/events';

t.test('a server-sent event arrives before the next one is written', async (t) => {
  const upstream = await witness(t);
  let stream: ServerResponse | undefined;
  upstream.behave((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    stream = response;
  });
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target }));
  await client.arrived(1);
  t.match(client.unread.toString(), /^HTTP\/1\.1 200 OK\r\n/, 'the head arrives before the first event');
  for (const event of ['data: one\n\n', 'data: two\n\n', 'data: three\n\n']) {
    stream?.write(event);
    t.ok(await until(() => client.unread.includes(event)), event);
  }
  stream?.end();
  const response = await client.read();
  t.equal(response?.body.toString(), 'data: one\n\ndata: two\n\ndata: three\n\n');
});

t.test('an answer with a length streams too', async (t) => {
  const upstream = await witness(t);
  let stream: ServerResponse | undefined;
  upstream.behave((_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    stream = response;
    response.write('first');
  });
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target }));
  t.ok(await until(() => client.unread.includes('first')), 'the first half is there');
  stream?.end('later');
  t.equal((await client.read())?.body.toString(), 'firstlater');
});

t.test('an upload streams: its first bytes arrive before its last are sent', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '10']] }));
  client.send('first');
  t.ok(await until(() => upstream.seen[0]?.bytes === 5), 'five bytes are there');
  client.send('later');
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'firstlater');
});

t.test('a client that leaves frees its upstream immediately: while the answer is awaited', async (t) => {
  const upstream = await witness(t);
  upstream.behave(() => {});
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target }));
  t.ok(await until(() => upstream.seen.length === 1));
  client.destroy();
  t.ok(await until(() => upstream.seen[0]?.connectionClosed === true), 'the connection to the upstream is closed');
});

t.test('a client that leaves frees its upstream immediately: in the middle of an answer', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(1000)), 5);
    response.on('close', () => clearInterval(timer));
  });
  const { port } = await gateway(t, behind(upstream.url));
  const client = await open(t, port);
  client.send(requestText({ target }));
  await client.arrived(2000);
  client.destroy();
  t.ok(await until(() => upstream.seen[0]?.connectionClosed === true), 'the connection to the upstream is closed');
});

t.test(
  'a client that leaves frees its upstream immediately: in the middle of an upload, which never completes',
  async (t) => {
    const upstream = await witness(t);
    const { port } = await gateway(t, behind(upstream.url));
    const client = await open(t, port);
    client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '1000']] }));
    client.send('some');
    t.ok(await until(() => upstream.seen[0]?.bytes === 4));
    client.destroy();
    t.ok(await until(() => upstream.seen[0]?.state === 'aborted'));
  },
);

t.test('clients that leave at random bytes leave nothing behind', async (t) => {
  const dice = random(58);
  const upstream = await witness(t);
  upstream.behaveAtHead((request, response, seen) => {
    response.writeHead(200, { 'content-length': '100000' }).write('x'.repeat(50_000));
    follow(request, seen, () => setTimeout(() => response.end('x'.repeat(50_000)), 2));
  });
  const { port } = await gateway(t, behind(upstream.url));
  const bytes = requestText({ method: 'POST', target, body: 'y'.repeat(5000) });
  const leave = async () => {
    const client = await connectTo(port);
    client.send(bytes.subarray(0, dice.below(bytes.length + 1)));
    await new Promise((waited) => setTimeout(waited, dice.below(4)));
    if (dice.chance(0.5)) client.socket.resetAndDestroy();
    else client.destroy();
  };
  for (let round = 0; round < (isLong ? 500 : 25); round++) await Promise.all(Array.from({ length: 20 }, leave));
  t.ok(
    await until(() => upstream.seen.every(({ connectionClosed, state }) => connectionClosed || state === 'completed')),
    'no upload is left hanging',
  );
  upstream.behave({});
  const client = await open(t, port);
  client.send(requestText({ target }));
  t.equal((await client.read())?.status, 200, 'the next request is served');
});

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import t from 'tap';
import type { Dispatcher } from 'undici';
import { openOwn } from '../../../../src/gateway/upstreams/own/own-engine.ts';
import { inTime, lateness } from '../../../support/lateness.ts';
import { until } from '../../../support/until.ts';

t.test('content arrives byte by byte as it is, however long it is', async (t) => {
  const received: Buffer[] = [];
  const server = createServer((socket) => socket.on('data', (chunk) => received.push(chunk)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const options = { url, serverName: '127.0.0.1', connections: 1, connectTimeout: 5_000, keepAlive: true };
  const handler = { onConnect() {}, onHeaders: () => true, onData: () => true, onComplete() {}, onError() {} };
  for (const length of [1, 256, 16 * 1024, 16 * 1024 + 1, 100_000]) {
    const engine = openOwn({ ...options, trust: { kind: 'files' } });
    const body = Buffer.from(Array.from({ length }, (_, index) => index % 256));
    received.length = 0;
    const request = { method: 'POST' as const, path: '/', headers: ['host', 'api'], body };
    engine.dispatch(request, handler as unknown as Dispatcher.DispatchHandler);
    const content = () => {
      const all = Buffer.concat(received);
      return all.subarray(all.indexOf('\r\n\r\n') + 4);
    };
    await until(() => content().length >= length);
    t.ok(content().equals(body), `${length} bytes`);
    await engine.destroy();
  }
});

t.test('an upload that is given up during the head of its answer closes its connection', async (t) => {
  const { measure } = await lateness(t);
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const options = { url, serverName: '127.0.0.1', connections: 1, connectTimeout: 5_000, keepAlive: true };
  const engine = openOwn({ ...options, trust: { kind: 'files' } });
  t.teardown(() => engine.destroy());
  const body = new PassThrough();
  body.write('the first half');
  const failed = Promise.withResolvers<Error>();
  let giveUp: (reason?: Error) => void = () => {};
  const handler = {
    onConnect: (abort: typeof giveUp) => {
      giveUp = abort;
    },
    onHeaders() {
      giveUp(new Error('for us alone'));
      return true;
    },
    onData: () => true,
    onComplete: () => failed.reject(new Error('it was complete')),
    onError: failed.resolve,
  };
  const headers = ['host', 'api', 'content-length', '28'];
  engine.dispatch({ method: 'POST', path: '/', headers, body }, handler as unknown as Dispatcher.DispatchHandler);
  t.match(await failed.promise, { message: 'for us alone' });
  const isEnded = () => sockets[0]?.destroyed === true || sockets[0]?.readableEnded === true;
  inTime(t, 'a free connection would be kept for four seconds', 3_000, await measure(() => until(isEnded)));
  t.equal(sockets.length, 1);
});

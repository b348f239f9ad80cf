import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { lastRequests, stopListening } from '../../src/base/last-requests.ts';
import { connectTo, open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';

async function serving(t: Test) {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.closeAllConnections());
  return { server, port: (server.address() as AddressInfo).port };
}

t.test('a stopping listener refuses new connections, and a kept connection can send its next request', async (t) => {
  const { server, port } = await serving(t);
  const kept = await open(t, port);
  kept.send(requestText({}));
  t.equal((await kept.read())?.status, 200);
  await stopListening(server);
  await t.rejects(connectTo(port), { code: 'ECONNREFUSED' });
  kept.send(requestText({}));
  t.equal((await kept.read())?.status, 200);
});

t.test('a connection from before the stop is answered', async (t) => {
  const { server, port } = await serving(t);
  const clients = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const client = await open(t, port);
      client.send(requestText({}));
      return client;
    }),
  );
  await stopListening(server);
  for (const client of clients) t.equal((await client.read())?.status, 200);
});

t.test('the wait ends with the last connection, or after its time', async (t) => {
  let open = true;
  setTimeout(() => {
    open = false;
  }, 50);
  const began = performance.now();
  await lastRequests(() => open, 5_000);
  t.ok(performance.now() - began < 2_000);
  const again = performance.now();
  await lastRequests(() => true, 100);
  t.ok(performance.now() - again >= 99);
});

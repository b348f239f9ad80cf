import { createServer } from 'node:http';
import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';

/** Waits for connections to be found idle: 12 s, and four times as long beside a whole test run. */
t.setTimeout(120_000);

const get = (target: string, headers: [string, string][] = []) => requestText({ target, headers });
const many = (count: number, target: string) => Buffer.concat(Array.from({ length: count }, () => get(target)));

/** An event stream that says one thing, and is silent from then on. */
const silent = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n:hi\n\r\n';

/** What a client sends behind its request, and that the gateway reads only in part. */
const behindIt: Readonly<Record<string, { readonly headers: [string, string][]; readonly more: Buffer }>> = {
  'more than 64 KiB of requests': { headers: [], more: many(4_000, '/public/n') },
  'more than 1 MiB after its last request': { headers: [['Connection', 'close']], more: Buffer.alloc(3 << 20, 'x') },
};

for (const listener of ['auto', 'node']) {
  for (const [what, { headers, more }] of Object.entries(behindIt)) {
    t.test(`a client that left after it had sent ${what} keeps no connection (listener ${listener})`, async (t) => {
      const upstream = await rawUpstream(t, ({ socket }) => socket.write(silent));
      const upstreams = { api: { url: upstream.url, timeout: { idle: 'none' } } };
      const { port } = await gateway(t, behind(upstream.url, { listener, limits: { idle: '1s' }, upstreams }));
      const client = await open(t, port);
      client.send(get('/public/events', headers));
      t.ok(await until(() => upstream.connections.length === 1));
      client.send(more);
      await new Promise((resolve) => setTimeout(resolve, 500));
      client.socket.resetAndDestroy();
      t.ok(await until(() => upstream.connections.every(({ closed }) => closed), 20_000));
    });
  }

  t.test(`a pipelined request finds the place that the request before it had (listener ${listener})`, async (t) => {
    const url = await serving(
      t,
      createServer((_request, response) => setTimeout(() => response.end('done'), 20)),
    );
    const upstreams = { api: { url, max_connections: 1, max_pending: 0 } };
    const { port } = await gateway(t, behind(url, { listener, upstreams }));
    const client = await open(t, port);
    client.send(many(4, '/public/1'));
    for (let index = 0; index < 4; index++) t.equal((await client.read())?.status, 200);
  });

  t.test(`a client that ends its side behind whole requests gets no 400 (listener ${listener})`, async (t) => {
    const { port } = await gateway(t, behind('http://127.0.0.1:9', { listener }));
    const client = await open(t, port);
    client.send(many(1_000, '/nowhere'));
    client.socket.end();
    const statuses = new Set<number>();
    for (let answer = await client.read(); answer !== undefined; answer = await client.read())
      statuses.add(answer.status);
    t.strictSame([...statuses], [404]);
  });
}

import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { buildLog } from '../../../src/base/log.ts';
import { readHead } from '../../../src/gateway/message/request-head.ts';
import type { Decision } from '../../../src/gateway/telemetry/decision-record.ts';
import { Decisions } from '../../../src/gateway/telemetry/decisions.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { JWT_BEGINS, jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';

/** Everything that `GET /decisions` has sent so far. */
async function watch(t: Test, adminUrl: string | undefined): Promise<{ text: string }> {
  const stopped = new AbortController();
  const response = await fetch(`${adminUrl}/decisions`, {
    headers: { accept: 'text/event-stream' },
    signal: stopped.signal,
  });
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const seen = { text: '' };
  const reading = (async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) seen.text += Buffer.from(chunk).toString();
  })().catch(() => {});
  t.teardown(() => {
    stopped.abort();
    return reading;
  });
  return seen;
}

function events({ text }: { text: string }): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
}

t.test('HEAD opens no stream', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const path of ['/decisions', '/api/decisions']) {
    const headers = { accept: 'text/event-stream' };
    const answer = await fetch(`${running.adminUrl}${path}`, { method: 'HEAD', headers });
    t.strictSame([answer.status, answer.headers.get('allow')], [405, 'GET'], path);
  }
});

t.test('a watcher sees every decision, forwarded or refused, without token and query', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const seen = await watch(t, running.adminUrl);
  const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  await fetch(`${running.url}/orders/1?q=secret`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${running.url}/admin/1`, { headers: { authorization: `Bearer ${token}` } });
  t.ok(await until(() => events(seen).length === 2));
  t.match(events(seen), [
    {
      time: Number,
      code: 'forwarded',
      route: 'orders',
      path: '/orders/1',
      client: 'shop',
      cache: 'miss',
      milliseconds: Number,
      verification_ms: Number,
      upstream_ms: Number,
    },
    { code: 'scope_insufficient', step: 'permit', route: 'admin', cache: 'hit', scope_missing: 'admin' },
  ]);
  t.notMatch(seen.text, /secret/);
  t.notMatch(seen.text, JWT_BEGINS);
});

t.test(
  'a reader that does not request an event stream, such as curl, learns when it ends and how to change that',
  async (t) => {
    const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
    const response = await fetch(`${running.adminUrl}/decisions`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    t.match(
      Buffer.from(first.value ?? []).toString(),
      /^: every decision .* for 30 seconds or 100 decisions; \?seconds=/,
    );
    for (let count = 0; count < 101; count++) await (await fetch(`${running.url}/nowhere`)).text();
    const rest: Uint8Array[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest.push(read.value);
    const text = Buffer.concat(rest).toString();
    t.equal(events({ text }).length, 100);
    t.match(text, /\n: the end, after 100 decisions\n\n$/);
  },
);

t.test('`limit` and `seconds` end a stream; a value that is not a whole number above 0 is 400', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const decisions = (query: string) =>
    fetch(`${running.adminUrl}/decisions?${query}`, { headers: { accept: 'text/event-stream' } });
  t.match(await (await decisions('seconds=1')).text(), /^: from here on\n\n: the end, after 0 decisions\n\n$/);
  for (const query of ['limit=0', 'limit=x', 'seconds=-1', 'seconds=9999999', 'limit=1&limit=2', 'limit='])
    t.equal((await decisions(query)).status, 400, query);
});

t.test('a stream that has ended uses no place, whether its reader reads the rest or not', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const socket = connect(Number(new URL(running.adminUrl as string).port), '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.write('GET /decisions?limit=20 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.pause();
  t.ok(await until(() => watchers(running.adminUrl, 1)));
  for (let count = 0; count < 20; count++) await (await fetch(`${running.url}/nowhere/${'x'.repeat(8000)}`)).text();
  t.ok(await until(() => watchers(running.adminUrl, 0)));
});

t.test('a stop does not wait for watchers', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  await watch(t, running.adminUrl);
  const start = Date.now();
  await running.stop();
  t.ok(Date.now() - start < 4000);
});

t.test('a watcher that does not read is disconnected, and the gateway continues', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const socket = connect(Number(new URL(running.adminUrl as string).port), '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.write('GET /decisions HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
  socket.pause();
  while (!(await watchers(running.adminUrl, 1))) await pause(5);
  const path = 'x'.repeat(8000);
  const flood = async () => {
    for (let count = 0; count < 100; count++) await (await fetch(`${running.url}/nowhere/${path}`)).text();
    return watchers(running.adminUrl, 0);
  };
  let gone = false;
  for (let round = 0; round < 50 && !gone; round++) gone = await flood();
  t.ok(gone);
  t.equal((await fetch(`${running.url}/nowhere`)).status, 404);
});

async function watchers(adminUrl: string | undefined, count: number): Promise<boolean> {
  return (await (await fetch(`${adminUrl}/metrics`)).text()).includes(`\ngatehouse_decision_watchers ${count}\n`);
}

function forwarded(): Decision {
  const head = readHead({
    method: 'GET',
    target: '/',
    version: '1.1',
    origin: { address: '127.0.0.1', secure: false, requestId: undefined } as never,
    rawHeaders: ['Host', 'a'],
  });
  return { code: 'forwarded', outcome: undefined, head, requestId: 'a', milliseconds: 1 };
}

t.test('without watchers and with log level info, no record of a forwarded request is built', async (t) => {
  const lines: string[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const decisions = new Decisions(buildLog({ level: 'info', format: 'json' }, sink), systemClock);
  const decision = forwarded();
  let looked = 0;
  const head = new Proxy(decision.head, {
    get(target, name) {
      // The method is a label of the metric.
      if (name !== 'method') looked++;
      return Reflect.get(target, name);
    },
  });
  decisions.record({ ...decision, head });
  t.equal(looked, 0);
  const records: string[] = [];
  const stop = decisions.watch((record) => records.push(record));
  decisions.record(decision);
  stop();
  decisions.record(decision);
  t.equal(records.length, 1);
  t.equal(lines.length, 0);
});

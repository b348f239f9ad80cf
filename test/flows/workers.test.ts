import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { command } from '../support/command.ts';
import { json } from '../support/endpoint.ts';
import { behind } from '../support/gateway.ts';
import { gone, group, pressure, workerOf } from '../support/group.ts';
import { connectTo, exchange, open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { onePath } from '../support/served-file.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts programs: 104 s in .ci/run on a busy machine. */
t.setTimeout(540_000);

const ask = requestText({ target: '/public/1' });

t.test('eight connections spread evenly over four workers, and log lines name the worker', async (t) => {
  const upstream = await witness(t);
  const { port, stdout } = await group(t, behind(upstream.url));
  const clients = await Promise.all(Array.from({ length: 8 }, () => open(t, port)));
  const workers = new Map<string, number>();
  for (const client of clients) {
    client.send(requestText({ target: '/orders/1' }));
    const worker = workerOf((await client.read())?.header('x-request-id'));
    workers.set(worker, (workers.get(worker) ?? 0) + 1);
  }
  t.strictSame([...workers.values()], [2, 2, 2, 2]);
  const indexes = () => [...stdout().matchAll(/"worker":(\d)/g)].map(([, index]) => index);
  t.ok(await until(() => indexes().length >= 8));
  t.strictSame(indexes().sort(), ['0', '0', '1', '1', '2', '2', '3', '3']);
});

t.test('the management listener reports on all workers together', async (t) => {
  const upstream = await witness(t);
  const served = await group(t, behind(upstream.url));
  const { adminUrl, port } = served;
  const watching = new AbortController();
  t.teardown(() => watching.abort());
  const stream = await fetch(`${adminUrl}/decisions`, {
    headers: { accept: 'text/event-stream' },
    signal: watching.signal,
  });
  let seen = '';
  void (async () => {
    for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString();
  })().catch(() => {});
  await until(() => seen.includes('from here on'));
  await pause(100);
  const clients = await Promise.all(Array.from({ length: 8 }, () => open(t, port)));
  const tickets: string[] = [];
  for (const client of clients) {
    for (const target of ['/public/1', '/orders/1']) {
      client.send(requestText({ target }));
      const response = await client.read();
      if (response?.status === 401) tickets.push(String(JSON.parse(String(response.body)).ticket));
    }
  }
  t.ok(await until(() => seen.split('\ndata: ').length - 1 === 16), seen);
  t.equal(await served.metric('gatehouse_requests_total'), 16);
  t.equal(await served.metric('gatehouse_request_duration_seconds_count'), 16);
  t.equal(await served.metric('gatehouse_decision_watchers'), 1);
  t.match(await (await fetch(`${adminUrl}/readyz`)).json(), { status: 'ready' });
  t.match(await (await fetch(`${adminUrl}/routes`)).json(), [{ id: 'public' }, { id: 'admin' }, { id: 'orders' }]);
  t.equal(tickets.length, 8);
  for (const ticket of tickets)
    t.match(await (await fetch(`${adminUrl}/why/${ticket}`)).json(), { route: 'orders', code: 'credential_missing' });
});

t.test('a group without keys names its last failure', async (t) => {
  const url = await serving(
    t,
    createServer((_, response) => json(response, { issuer: `${url}/` })),
  );
  const main = { issuer: url, audience: 'https://api.example.com', verify: 'jwt' };
  const { adminUrl } = await group(t, behind(url, { development: true, authorization_servers: { main } }), 2);
  const readyz = async () => (await (await fetch(`${adminUrl}/readyz`)).json()) as { cause?: string };
  t.ok(await until(async () => /names the issuer .*a slash at the end/.test((await readyz()).cause ?? '')));
});

t.test('kill -9 of a worker under load loses only its own requests in flight', async (t) => {
  const upstream = await witness(t, { delay: 5 });
  const served = await group(t, behind(upstream.url));
  const load = pressure(served.port, 16, () => ask);
  t.ok(await until(() => new Set(load.answers.map(({ worker }) => worker)).size === 4));
  let before = await served.metric('gatehouse_requests_total');
  for (let round = 0; round < 3; round++) {
    const lost = load.lost.length;
    const [pid = 0] = served.pids();
    process.kill(pid, 'SIGKILL');
    const killed = performance.now();
    t.ok(await until(() => !served.pids().includes(pid)));
    t.ok(await served.serves(4), 'replaced');
    t.comment(`ready again after ${Math.round(performance.now() - killed)} ms`);
    const mine = load.lost.slice(lost);
    t.ok(mine.length <= 8, `${mine.length} lost`);
    t.equal(new Set(mine.filter((worker) => worker !== '')).size <= 1, true, 'all of one worker');
    const after = await served.metric('gatehouse_requests_total');
    t.ok(after >= before, `${before} → ${after}`);
    before = after;
    await pause(300);
  }
  await load.stop();
  t.strictSame(
    load.answers.filter(({ response }) => response.status !== 200).map(({ response }) => response.status),
    [],
  );
  t.equal(await served.metric('gatehouse_worker_restarts_total'), 3);
  t.comment(`${load.answers.length} answered, ${load.lost.length} lost with 3 workers`);
});

t.test('a client that connects while every worker is dead waits for the next worker, and is not refused', async (t) => {
  const upstream = await witness(t);
  const served = await group(t, behind(upstream.url), 2);
  const killed = served.pids();
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  t.ok(await until(() => !killed.some((pid) => served.pids().includes(pid))));
  const client = await open(t, served.port);
  client.send(ask);
  t.equal((await client.read({ deadline: 60_000 }))?.status, 200);
});

t.test('a worker that hangs is noticed and replaced, while the others serve', async (t) => {
  const upstream = await witness(t);
  const served = await group(t, behind(upstream.url), 2);
  const [hung = 0] = served.pids();
  process.kill(hung, 'SIGSTOP');
  const start = performance.now();
  const answered: number[] = [];
  while (served.pids().includes(hung) && performance.now() - start < 60_000) {
    const client = await connectTo(served.port);
    client.send(ask);
    const response = await Promise.race([client.read({ deadline: 30_000 }), pause(500)]);
    if (response !== undefined) answered.push(response.status);
    client.destroy();
  }
  t.comment(`ended after ${Math.round(performance.now() - start)} ms, ${answered.length} answered meanwhile`);
  t.notOk(served.pids().includes(hung));
  t.ok(answered.length > 20 && answered.every((status) => status === 200));
  t.ok(await served.serves(2));
  t.equal(served.said('a worker hangs and is ended'), 1);
});

t.test('kill -9 of the primary leaves no worker behind', async (t) => {
  const upstream = await witness(t);
  const served = await group(t, behind(upstream.url));
  const pids = served.pids();
  t.equal(pids.length, 4);
  served.process.kill('SIGKILL');
  t.ok(await gone(pids));
});

t.test('SIGTERM loses nothing: every worker finishes its requests, exit 0', async (t) => {
  const upstream = await witness(t, { delay: 300 });
  const served = await group(t, behind(upstream.url));
  const pids = served.pids();
  const clients = await Promise.all(Array.from({ length: 16 }, () => open(t, served.port)));
  for (const client of clients) client.send(ask);
  t.ok(await until(() => upstream.seen.length === 16));
  served.process.kill('SIGTERM');
  const statuses = await Promise.all(clients.map(async (client) => (await client.read())?.status));
  t.strictSame(statuses, new Array(16).fill(200));
  t.match(await served.ended(), { status: 0 });
  t.ok(await gone(pids));
});

t.test('SIGINT of a terminal, which every process gets, loses nothing either', async (t) => {
  const upstream = await witness(t, { delay: 300 });
  const served = await group(t, behind(upstream.url), 2);
  const client = await open(t, served.port);
  client.send(ask);
  t.ok(await until(() => upstream.seen.length === 1));
  for (const pid of [...served.pids(), served.process.pid ?? 0]) process.kill(pid, 'SIGINT');
  t.equal((await client.read())?.status, 200);
  t.match(await served.ended(), { status: 0 });
});

t.test('requests that exceed the deadline are cut, exit 3, and no worker is left', async (t) => {
  const upstream = await witness(t, { delay: 60_000 });
  const served = await group(t, behind(upstream.url, { shutdown: { deadline: '500ms' } }), 2);
  const pids = served.pids();
  const client = await open(t, served.port);
  client.send(ask);
  t.ok(await until(() => upstream.seen.length === 1));
  served.process.kill('SIGTERM');
  t.match(await served.ended(), { status: 3 });
  t.ok(await gone(pids));
});

t.test('an address in use ends the start: exit 1, one line, and no worker is left', async (t) => {
  const upstream = await witness(t);
  const directory = t.testdir({
    'gateway.yaml': `version: 1\nlisten: 127.0.0.1:${upstream.port}\nworkers: 2\n${onePath(upstream.url, '/a')}`,
  });
  const started = command(t, ['gateway', '--config', `${directory}/gateway.yaml`]);
  const { status, stderr } = await started.ended();
  t.equal(status, 1);
  t.match(stderr, /^gatehouse: 127\.0\.0\.1:\d+ is taken \(`listen`\): [^\n]*\n$/);
});

t.test('limits apply: slow heads get 408, and connections are counted over all workers', async (t) => {
  const upstream = await witness(t);
  const limits = { connections: 4, headers_timeout: '4s' };
  const { port } = await group(t, behind(upstream.url, { limits }), 2);
  const four = await Promise.all(Array.from({ length: 4 }, () => open(t, port)));
  for (const client of four) client.send('GET /public/1 HT');
  await pause(100);
  const fifth = await open(t, port);
  await fifth.untilClosed();
  t.equal(fifth.unread.length, 0);
  for (const client of four) t.equal((await client.read())?.status, 408);
  await until(() => four.every(({ closed }) => closed));
  t.ok(await until(async () => (await exchange(port, ask))?.status === 200));
});

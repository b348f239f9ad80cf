import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { gateway } from '../support/gateway.ts';
import { sample } from '../support/metric-sample.ts';
import { until } from '../support/until.ts';
import { type UpstreamProcess, upstreamProcess } from '../support/upstream-process.ts';

/** Three upstreams under load; one of them dies, stalls and recovers. */

/** Starts programs: 9 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

interface Done {
  readonly method: string;
  readonly begun: number;
  readonly ended: number;
  readonly status: number;
  readonly port: number | undefined;
}

/** Milliseconds. A healthy upstream must never look unhealthy, however slow the machine is. */
const RESPONSE = 3_000;
const INTERVAL = 150;
const HEALTH = 2_000;

async function scene(t: Test, more: object = {}) {
  const processes = await Promise.all([upstreamProcess(t), upstreamProcess(t), upstreamProcess(t)]);
  const api = {
    urls: processes.map(({ url }) => url),
    timeout: { connect: '2s', response: `${RESPONSE}ms` },
    health: {
      path: '/healthz',
      interval: `${INTERVAL}ms`,
      timeout: `${HEALTH}ms`,
      unhealthy_after: 2,
      healthy_after: 2,
    },
    ...more,
  };
  const running = await gateway(t, {
    admin: '127.0.0.1:0',
    upstreams: { api },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/{rest*}' }, access: 'public' }],
  });
  const { url, adminUrl } = running;
  const metric = (name: string, labels: Record<string, string>) => sample(adminUrl as string, name, labels);
  const isDown = ({ authority }: UpstreamProcess) =>
    until(async () => (await metric('gatehouse_upstream_up', { url: authority })) === 0);
  return { ...running, load: () => load(t, url), metric, isDown, third: processes[2] as UpstreamProcess, processes };
}

/** A few clients that each send one request after the other, every second one with a body, until they are stopped. */
function load(t: Test, url: string, clients = 6) {
  const done: Done[] = [];
  let isOver = false;
  const work = async (client: number) => {
    for (let count = client; !isOver; count++) {
      const method = count % 2 === 0 ? 'GET' : 'POST';
      const begun = performance.now();
      const response = await fetch(`${url}/a`, { method, ...(method === 'POST' && { body: 'a body of 18 bytes' }) });
      const answer = (await response.json()) as { port?: number };
      done.push({ method, begun, ended: performance.now(), status: response.status, port: answer.port });
      await pause(8);
    }
  };
  const all = Array.from({ length: clients }, (_, client) => work(client));
  const stop = async () => {
    isOver = true;
    await Promise.all(all);
    return done;
  };
  t.teardown(stop);
  return { done, stop };
}

const failed = (done: readonly Done[]) => done.filter(({ status }) => status !== 200);
const portOf = ({ authority }: UpstreamProcess) => Number(authority.split(':')[1]);
const servedBy = (done: readonly Done[], process: UpstreamProcess, from: number) =>
  done.filter(({ port, begun }) => port === portOf(process) && begun > from);

t.test('one of three dies: only requests with a body that were on their way to it fail', async (t) => {
  const { load, third, metric, isDown, log } = await scene(t);
  const { done, stop } = load();
  t.ok(await until(() => servedBy(done, third, 0).length > 5), 'it serves');
  const died = performance.now();
  await third.kill();
  t.ok(await isDown(third));
  const noticed = performance.now();
  await pause(400);
  await third.start();
  const back = performance.now();
  t.ok(await until(() => servedBy(done, third, back).length > 5), 'it serves again');
  t.equal(await metric('gatehouse_upstream_up', { url: third.authority }), 1);
  t.equal(await metric('gatehouse_upstream_ejections_total', { url: third.authority, cause: 'health' }), 1);
  await stop();
  t.strictSame(
    failed(done).filter(({ method }) => method === 'GET'),
    [],
    'nothing that can be repeated',
  );
  t.strictSame(
    failed(done).filter(({ begun, ended }) => begun > noticed || ended < died),
    [],
    'nothing before, and nothing once it was noticed',
  );
  t.ok(failed(done).length <= 6, `${failed(done).length} of ${done.length}`);
  t.strictSame(
    servedBy(done, third, noticed).filter(({ begun }) => begun < back),
    [],
  );
  const lines = log.filter(({ url }) => url === third.authority).map(({ msg }) => msg);
  t.strictSame(lines, [
    'an upstream URL is unhealthy; removed from rotation',
    'an upstream URL is healthy again; back in rotation',
  ]);
  t.comment(`${done.length} requests, ${failed(done).length} failed`);
});

t.test('one of three stalls: repeatable requests are answered by another, and soon it gets none', async (t) => {
  const { load, third, isDown } = await scene(t);
  const { done, stop } = load();
  t.ok(await until(() => servedBy(done, third, 0).length > 5), 'it serves');
  const stalled = performance.now();
  third.stall();
  t.teardown(() => third.resume());
  t.ok(await isDown(third));
  const noticed = performance.now();
  await pause(600);
  third.resume();
  const back = performance.now();
  t.ok(await until(() => servedBy(done, third, back).length > 5), 'it serves again');
  await stop();
  t.strictSame(
    failed(done).filter(({ method, begun }) => method === 'GET' || begun > noticed || begun < stalled - RESPONSE),
    [],
  );
  t.strictSame(
    [...new Set(failed(done).map(({ status }) => status))].filter((status) => status !== 504),
    [],
    'in silence, 504',
  );
  t.ok(failed(done).length <= 18, `${failed(done).length} of ${done.length}`);
  t.comment(`${done.length} requests, ${failed(done).length} failed`);
});

t.test('without health checks, the circuit breaker removes the dead upstream and adds it again later', async (t) => {
  const breaker = { health: undefined, circuit_breaker: { failures: 3, open_for: '300ms' } };
  const { load, third, metric, log } = await scene(t, breaker);
  const { done, stop } = load();
  t.ok(await until(() => servedBy(done, third, 0).length > 5), 'it serves');
  await third.kill();
  t.ok(await until(() => log.some(({ msg }) => String(msg).includes('does not answer'))), 'it opens');
  const opened = performance.now();
  t.ok((await metric('gatehouse_upstream_breaker', { url: third.authority })) >= 1);
  await pause(700);
  await third.start();
  t.ok(await until(() => servedBy(done, third, opened).length > 10), 'it serves again');
  t.equal(await metric('gatehouse_upstream_breaker', { url: third.authority }), 0);
  t.ok((await metric('gatehouse_upstream_retries_total', {})) > 0);
  await stop();
  t.strictSame(
    failed(done).filter(({ method, begun }) => method === 'GET' || begun > opened),
    [],
    'a refused connection costs nobody a request',
  );
  t.comment(`${done.length} requests, ${failed(done).length} failed`);
});

t.test('all of them are down: 503 with Retry-After immediately, and the first one that recovers is used', async (t) => {
  const { url, processes, isDown, metric } = await scene(t);
  const [first] = processes;
  await Promise.all(processes.map(({ kill }) => kill()));
  for (const each of processes) t.ok(await isDown(each));
  const start = performance.now();
  const response = await fetch(`${url}/a`, { method: 'POST', body: 'x' });
  t.ok(performance.now() - start < RESPONSE);
  t.equal(response.status, 503);
  t.match(await response.json(), { code: 'upstream_unhealthy' });
  t.equal(response.headers.get('retry-after'), '1');
  t.equal(await metric('gatehouse_upstream_up', {}), 0);
  await first?.start();
  t.ok(await until(async () => (await fetch(`${url}/a`)).status === 200));
});

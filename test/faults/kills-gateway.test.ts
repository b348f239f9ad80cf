import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { type Group, gone, group } from '../support/group.ts';
import { until } from '../support/until.ts';
import { type Witness, witness } from '../support/witness.ts';
import { sized } from './support/size.ts';
import { type Asker, keptAsker, type Told } from './support/stop-load.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(3_600_000);

const WORKERS = 2;
const KILLED_WORKERS = sized(2, 15, 100);
const KILLED_GATEWAYS = sized(2, 15, 50);

/** The minimum of answered requests before each kill. */
const ENOUGH = 100;

/** A client that does not know the result must not repeat either (RFC 9110 §9.2.2). */
const once = ['POST', 'PATCH'];
const methods = [...once, 'POST', 'GET', 'PUT'];

t.test(`kill -9 of a worker under load, ${KILLED_WORKERS} times: the upstreams see no POST twice`, async (t) => {
  const upstreams = await twoUpstreams(t);
  const served = await group(t, between(upstreams), WORKERS);
  const askers = load(served);
  for (let kill = 0; kill < KILLED_WORKERS; kill++) {
    await answeredMore(askers, ENOUGH);
    await pause(Math.random() * 50);
    const pids = served.pids();
    const pid = pids[kill % pids.length] ?? 0;
    process.kill(pid, 'SIGKILL');
    t.ok(await until(() => !served.pids().includes(pid)));
    t.ok(await served.serves(WORKERS), 'it is replaced');
  }
  for (const asker of askers) asker.stop();
  await Promise.all(askers.map(({ over }) => over));
  judge(
    t,
    upstreams,
    askers.flatMap(({ told }) => told),
  );
});

t.test(`kill -9 of the gateway under load, ${KILLED_GATEWAYS} times: the upstreams see no POST twice`, async (t) => {
  const upstreams = await twoUpstreams(t);
  const told: Told[] = [];
  for (let kill = 0; kill < KILLED_GATEWAYS; kill++) {
    const served = await group(t, between(upstreams), kill % 2 === 0 ? 1 : WORKERS);
    const workers = served.pids();
    const askers = load(served);
    await answeredMore(askers, ENOUGH);
    await pause(Math.random() * 50);
    served.process.kill('SIGKILL');
    await served.ended();
    t.ok(await gone(workers), 'nobody is left behind');
    for (const asker of askers) asker.stop();
    await Promise.all(askers.map(({ over }) => over));
    told.push(...askers.flatMap(({ told }) => told));
  }
  judge(t, upstreams, told);
});

/** Every twelfth request of a method is cut after it has arrived whole. Only the upstream knows whether it was done. */
async function twoUpstreams(t: Test): Promise<readonly [Witness, Witness]> {
  const upstreams = [await witness(t), await witness(t)] as const;
  const counts = new Map<string, number>();
  for (const upstream of upstreams)
    upstream.behave((request, response, { method, target }) => {
      const count = (counts.get(method) ?? 0) + 1;
      counts.set(method, count);
      if (count % 12 === 0) request.socket.destroy();
      else setTimeout(() => response.end(target), count % 30);
    });
  return upstreams;
}

function between([one, two]: readonly [Witness, Witness]): object {
  return behind('', { upstreams: { api: { urls: [one.url, two.url], retries: 2 } } });
}

function load({ port }: Group): readonly Asker[] {
  return Array.from({ length: 3 }, () => methods).flatMap((names) =>
    names.map((method) => {
      const body = method === 'GET' ? {} : { body: 'once' };
      return keptAsker({ port, path: `/public/${method}`, between: 5, method, ...body });
    }),
  );
}

async function answeredMore(askers: readonly Asker[], more: number): Promise<void> {
  const answered = () => askers.reduce((sum, { told }) => sum + told.length, 0);
  const before = answered();
  if (!(await until(() => answered() >= before + more, 30_000))) throw new Error('nobody is answered');
}

function judge(t: Test, upstreams: readonly Witness[], told: readonly Told[]): void {
  const times = new Map<string, number>();
  for (const { target } of upstreams.flatMap(({ seen }) => seen)) times.set(target, (times.get(target) ?? 0) + 1);
  const isOnce = (target: string) => once.some((method) => target.startsWith(`/public/${method}/`));
  const twice = [...times].filter(([, count]) => count > 1).map(([target]) => target);
  t.strictSame(twice.filter(isOnce), [], 'what is not idempotent comes once at most');
  t.ok(twice.length > 0, `what is idempotent was sent again where that is right: ${twice.length} times`);
  const unseen = told.filter(({ id, response }) => response?.status === 200 && !times.has(id));
  t.strictSame(unseen, [], 'what was answered came');
  const wrong = told.filter(({ id, response }) => response?.status === 200 && response.body.toString() !== id);
  t.strictSame(wrong, [], 'each got its own answer');
  const statuses = new Set(told.map(({ response }) => response?.status));
  t.strictSame(
    [...statuses].filter((status) => status !== undefined && status !== 200 && status !== 502),
    [],
  );
  const lost = told.filter(({ response }) => response === undefined).length;
  t.ok(lost > 0, `${told.length} requests, ${lost} lost with who was killed`);
}

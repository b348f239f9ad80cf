import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { imageFlags } from '../../tools/image-flags.ts';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { heapInUse, inMiB, probedFlags, resident } from '../support/memory.ts';
import { sample } from '../support/metric-sample.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { serving } from '../support/serving.ts';
import { type Issuing, issuing } from './support/issuing.ts';
import { socketsOf } from './support/open-sockets.ts';
import { isPaceTold, keepsPace } from './support/pace.ts';
import { type PacedLoad, paced } from './support/paced.ts';
import type { Paced } from './support/paced-program.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(120_000, 900_000, 3 * 3_600_000));

/** A second. `npm test` shares its machine with other tests. */
const GOOD = sized(150, 300, 300);
const BAD = sized(500, 2_000, 2_000);
/** Milliseconds of a round without the flood, and with it. */
const ALONE = sized(2_000, 10_000, 30_000);
const FLOODED = sized(4_000, 60_000, 300_000);
/** The memory that any flood makes a process use at its beginning is not measured. */
const WARM = sized(3_000, 10_000, 20_000);
const CONCURRENT = 8;
const MIB = 1024;

interface Scene {
  readonly gateway: GatewayProcess;
  readonly adminUrl: string;
  readonly service: Issuing;
  readonly good: PacedLoad;
  /** The same at a second gateway without a flood. What the machine does affects both. */
  readonly calm: PacedLoad;
  readonly flood: PacedLoad;
  close(): Promise<void>;
}

async function scene(t: Test, service: Issuing, upstream: string): Promise<Scene> {
  const admin = await freePort();
  const main = { ...service.server.main, cache: { max_concurrent: CONCURRENT } };
  const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' }];
  const config = behind(upstream, { authorization_servers: { main }, routes });
  const [gateway, other] = await Promise.all([
    startProcess({ config: { ...config, admin: `127.0.0.1:${admin}` }, flags: [...imageFlags, ...probedFlags] }),
    startProcess({ config, flags: imageFlags }),
  ]);
  t.teardown(() => Promise.all([gateway.stop(), other.stop()]));
  const values = (await tokens(service)).map((token) => `Bearer ${token}`);
  const at = { target: '/orders/1', perSecond: GOOD, connections: 32 };
  const forged = { jwt: await service.token('jwt'), opaque: 'gt_nobody-has-given-this-one-out' };
  const good = paced(t, { ...at, port: gateway.port, values });
  const calm = paced(t, { ...at, port: other.port, values });
  const flood = paced(t, { ...at, port: gateway.port, perSecond: 0, connections: 128, forged });
  const close = async () => {
    await Promise.all([good.stop(), calm.stop(), flood.stop()]);
    t.strictSame(throws(gateway.output()), []);
    t.ok(gateway.running);
    await Promise.all([gateway.stop(), other.stop()]);
  };
  return { gateway, adminUrl: `http://127.0.0.1:${admin}`, service, good, calm, flood, close };
}

/** Both kinds in turn, fewer than any cache keeps. */
async function tokens(service: Issuing): Promise<readonly string[]> {
  const all: string[] = [];
  for (let count = 0; count < 50; count++) all.push(await service.token(count % 2 === 0 ? 'opaque' : 'jwt'));
  return all;
}

/** From the gateway to its authorization server: with HTTP/1.1 as many as calls, and one more for its documents. */
function connectionsTo(port: number, pid: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1);
  const own = socketsOf(pid);
  const open = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , to = '', state]) => to.endsWith(remote) && state === '01');
  return open.filter((row) => own.has(row[9] ?? '')).length;
}

interface Watched {
  readonly memory: readonly number[];
  readonly calls: number;
}

async function watch({ gateway, service }: Scene, milliseconds: number): Promise<Watched> {
  const memory: number[] = [];
  let calls = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; await pause(100)) {
    memory.push(resident(gateway.pid) / MIB);
    calls = Math.max(calls, connectionsTo(service.port, gateway.pid));
  }
  return { memory, calls };
}

/** 503 is for tokens whose introspection was not possible. */
function only({ statuses }: Paced, wanted: readonly string[]): boolean {
  return Object.keys(statuses).every((status) => wanted.includes(status));
}

t.test(
  'during 2,000 unique bad tokens a second, good requests keep their pace, their cache and their memory',
  async (t) => {
    const [service, upstream] = [await issuing(t), await serving(t, quietUpstream())];
    const it = await scene(t, service, upstream);
    await flooded(t, it);
    await it.close();
  },
);

async function flooded(t: Test, it: Scene): Promise<void> {
  const { good, calm, flood } = it;
  await flood.pace(BAD);
  await pause(WARM);
  await flood.pace(0);
  await pause(1_000);
  await good.told();
  await pause(ALONE);
  const alone = await good.told();
  const before = await counted(it);
  const early = await heapInUse(it.gateway);
  await flood.pace(BAD);
  await Promise.all([good.told(), calm.told(), flood.told()]);
  const { memory, calls } = await watch(it, FLOODED);
  const [asked, apart, bad] = await Promise.all([good.told(), calm.told(), flood.told()]);
  const after = await counted(it);
  t.ok(only(asked, ['200']), `every good request is answered: ${JSON.stringify(asked.statuses)}`);
  t.ok(only(bad, ['401', '503']), `no bad one passes: ${JSON.stringify(bad.statuses)}`);
  // As before the flood. Requests in progress are not kept.
  await flood.pace(0);
  await pause(1_000);
  const [late, most] = [await heapInUse(it.gateway), Math.max(...memory)];
  const hits = Math.min(1, (after.hits - before.hits) / asked.sent);
  const introspections = after.introspections - before.introspections;
  const pace = `p99 ${alone.p99.toFixed(1)} ms before, ${asked.p99.toFixed(1)} ms under ${bad.sent} bad, ${apart.p99.toFixed(1)} ms of another gateway meanwhile`;
  const grown = `heap in use ${inMiB(early)} then ${inMiB(late)} MiB, resident at most ${most.toFixed(0)} MiB`;
  const asking = `hits ${(100 * hits).toFixed(1)} %, ${introspections} calls over ${calls} connections`;
  for (const each of [pace, grown, asking]) t.comment(each);
  t.ok(keepsPace(asked.p99, Math.max(3 * Math.max(alone.p99, apart.p99), 20)), pace);
  // A machine that is late is also late with garbage collection.
  t.ok((isPaceTold || most <= 256) && late <= 1.1 * early, grown);
  t.ok(hits >= 0.95 && calls <= CONCURRENT + 1, asking);
  // Half of nine tenths are opaque. A spelling of a known token causes a call every 5 s, and a good token one every
  // minute.
  t.ok(introspections <= 0.47 * bad.sent + 100, asking);
  t.ok(bad.sent >= (isPaceTold ? 0.5 : 0.9) * BAD * (FLOODED / 1000), `${bad.sent} bad ones came`);
}

async function counted({ adminUrl }: Scene): Promise<{ readonly hits: number; readonly introspections: number }> {
  const of = (name: string) => sample(adminUrl, name, { server: 'main' });
  return { hits: await of('gatehouse_token_cache_hits'), introspections: await of('gatehouse_introspections') };
}

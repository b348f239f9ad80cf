import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { type Figures, inTime, lateness } from '../support/lateness.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { serving } from '../support/serving.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { upstreamProcess } from '../support/upstream-process.ts';
import { type AskedProcess, askedProcess } from './support/asked-process.ts';
import { openSockets } from './support/open-sockets.ts';
import { keepsPace } from './support/pace.ts';
import { type PacedLoad, paced } from './support/paced.ts';
import { sized } from './support/size.ts';
import { type Slow, type SlowKind, slowKinds } from './support/slow-program.ts';
import { isInstalled } from './support/slowhttptest.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(240_000, 900_000, 3_600_000));

const SLOW = sized(50, 1_000, 1_000);
/**
 * Connections of the upstream. Slow bodies and slow readers hold one each, and all of them have one address. An address
 * may hold half of them. Above that, a request waits in line, and during the wait its client does not count as slow.
 */
const ROOM = 4 * SLOW;
/** Milliseconds: for heads, for a body's first kilobyte, and for a reader that reads nothing. */
const LIMIT = sized(1_500, 10_000, 30_000);
const ALONE = sized(800, 3_000, 10_000);
/** The time in which all of them arrive. */
const COMING = sized(500, 3_000, 3_000);
/** Unread answers first fill buffers of megabytes, so many at once would be another kind of flood. */
const READERS = sized(
  { connections: 50, within: 2_000 },
  { connections: 1_000, within: 20_000 },
  { connections: 1_000, within: 20_000 },
);
/** Checks are a second apart. */
const LOOKS = 1_000;
/** The time for a client to read that its body was too slow. */
const LAST_WORD = 2_000;
const GOOD = 100;
const LARGE = 8 * 1024 * 1024;

/** Small answers, and one that no buffer can hold. */
function upstream(t: Test): Promise<string> {
  const large = Buffer.alloc(LARGE, 'x');
  const server = createServer((request, response) => {
    request.resume().on('error', () => {});
    response.on('error', () => {});
    const body = request.url === '/public/large' ? large : 'ok';
    request.on('end', () => response.writeHead(200, { 'content-length': body.length }).end(body));
  });
  return serving(t, server);
}

interface Served {
  readonly gateway: GatewayProcess;
  readonly good: PacedLoad;
  /** From another address than the slow clients, to the same upstream. */
  readonly same: PacedLoad;
}

/** The gateway with slow clients, and a second gateway without. What the machine does affects both. */
interface Scene extends Served {
  readonly calm: PacedLoad;
}

async function scene(t: Test): Promise<Scene> {
  const urls = { slow: await upstream(t), good: (await upstreamProcess(t)).url };
  const [busy, calm] = [await served(t, urls), await served(t, urls)];
  await pause(1_000);
  return { ...busy, calm: calm.good };
}

/**
 * The pace counts for good requests to a separate upstream, because the gateway is not responsible for what the other
 * upstream does with slow clients. But good requests of another address at that upstream must all be answered.
 */
async function served(t: Test, { slow, good }: { slow: string; good: string }): Promise<Served> {
  const limit = `${LIMIT}ms`;
  const routes = [
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
    { id: 'form', match: { path: '/form' }, access: 'authenticated', bearer_methods_supported: ['body'] },
    { id: 'orders', match: { path: '/orders/{rest*}' }, access: 'authenticated', upstream: 'good' },
  ];
  const gateway = await startProcess({
    config: behind(slow, {
      routes,
      upstreams: {
        api: { url: slow, max_connections: ROOM, timeout: { response: limit } },
        good: { url: good },
      },
      limits: { headers_timeout: limit, body_rate: { bytes: '1KiB', over: limit }, idle: limit },
    }),
  });
  t.teardown(() => gateway.stop());
  const values = [`Bearer ${await jwt({ exp: Math.floor(Date.now() / 1000) + 7200 }, { alg: 'HS256' })}`];
  const { port } = gateway;
  return {
    gateway,
    good: paced(t, { port, target: '/orders/1', perSecond: GOOD, connections: 16, values }),
    same: paced(t, { port, target: '/public/a', from: '127.0.0.2', perSecond: GOOD, connections: 16 }),
  };
}

/** The answers to good requests during `work`, compared with earlier ones and with the other gateway. */
async function during(
  t: Test,
  { good, same, calm }: Scene,
  work: () => Promise<unknown>,
  allowed = 20,
): Promise<Figures> {
  const { measure } = await lateness(t);
  await Promise.all([good.told(), same.told()]);
  await pause(ALONE);
  const [alone] = await Promise.all([good.told(), calm.told()]);
  const figures = await measure(work);
  const [beside, shared, apart] = await Promise.all([good.told(), same.told(), calm.told()]);
  t.strictSame(Object.keys(beside.statuses), ['200'], 'every good request is answered');
  t.strictSame(Object.keys(shared.statuses), ['200'], 'also at the upstream of the slow clients');
  const p99s = [alone, beside, apart].map(({ p99 }) => p99.toFixed(1));
  const told = `p99 ${p99s[0]} ms before, ${p99s[1]} ms beside them, ${p99s[2]} ms of another gateway meanwhile`;
  t.ok(keepsPace(beside.p99, Math.max(2 * Math.max(alone.p99, apart.p99), allowed)), told);
  t.comment(told);
  return figures;
}

/** How long each of them lasted. A slow reader does not reach the end, and is gone when the gateway has none. */
async function outlast(slow: AskedProcess<Slow>, kind: SlowKind, isGone: () => boolean): Promise<readonly number[]> {
  const { connections, within } = manyOf(kind);
  const began = performance.now();
  const lasted: number[] = [];
  for (const end = began + within + 4 * (LIMIT + LOOKS + LAST_WORD); performance.now() < end; await pause(50)) {
    const told = await slow.ask();
    lasted.push(...told.lasted);
    if (lasted.length === connections) return lasted;
    if (kind === 'readers' && told.begun === connections && isGone()) return [performance.now() - began];
  }
  return [];
}

interface Lasted {
  readonly kind: SlowKind;
  /** Milliseconds of each; for readers, until the last was gone. */
  readonly lasted: readonly number[];
}

async function outlasted(t: Test, port: number, kind: SlowKind, isGone: () => boolean): Promise<Lasted> {
  const many = manyOf(kind);
  const slow = askedProcess<Slow>(t, 'slow-program.ts', { ...many, port, kind, every: Math.max(300, LIMIT / 10) });
  const lasted = await outlast(slow, kind, isGone);
  await slow.stop();
  return { kind, lasted };
}

const manyOf = (kind: SlowKind) => (kind === 'readers' ? READERS : { connections: SLOW, within: COMING });

async function round(t: Test, it: Scene, kinds: readonly SlowKind[]): Promise<void> {
  const { gateway } = it;
  const before = openSockets(gateway.pid);
  // Connections of the upstream's pool and of the good requests come and go.
  const isGone = () => openSockets(gateway.pid) <= before + 16;
  let all: readonly Lasted[] = [];
  const figures = await during(t, it, async () => {
    all = await Promise.all(kinds.map((kind) => outlasted(t, gateway.port, kind, isGone)));
  });
  t.ok(await until(isGone), 'nothing of them is left');
  for (const { kind, lasted } of all) {
    // For readers it is only known that none is left.
    const coming = kind === 'readers' ? READERS.within + (kinds.length > 1 ? LAST_WORD : 0) : 0;
    t.ok(lasted.length > 0 && Math.min(...lasted) >= 0.9 * LIMIT, `${kind}: not before ${LIMIT} ms`);
    const took = Math.max(...lasted);
    inTime(t, `${kind} are gone`, coming + LIMIT + LOOKS + LAST_WORD + 500, { ...figures, took });
  }
}

/** One kind after the other, if there is time. */
const each = slowKinds.map((kind) => [kind]);
const groups: readonly (readonly SlowKind[])[] = sized([slowKinds], each, each);

t.test('1,000 slow clients of each kind are gone at the limit, and good requests keep their pace', async (t) => {
  const it = await scene(t);
  for (const kinds of groups) await round(t, it, kinds);
  t.ok(it.gateway.running);
  t.strictSame(throws(it.gateway.output()), []);
});

/** Every fifth of these is reported. */
const SECONDS = 5 * Math.ceil((LIMIT + LOOKS + LAST_WORD) / 5_000);

interface Theirs {
  readonly args: readonly string[];
  /** Milliseconds that the p99 of good requests may always take. */
  readonly allowed: number;
}

/**
 * Five hundred arrive at once, and all thousand send in one moment of each second. That takes fifty milliseconds of a
 * core.
 */
const ONE_MOMENT = 75;

/** The kinds of slowhttptest, if it is installed and there is time. The guarantee is tested without it too. */
const theirs: Readonly<Record<string, Theirs>> =
  isInstalled && sized(false, true, true)
    ? {
        'slow heads (-H)': { args: ['-H', '-u', '/public/a'], allowed: ONE_MOMENT },
        'slow bodies (-B)': { args: ['-B', '-s', '100000', '-u', '/public/a'], allowed: ONE_MOMENT },
        'slow readers (-X)': {
          args: [
            ...['-X', '-w', '512', '-y', '1024', '-z', '32', '-k', '1', '-n', '5'],
            ...['-r', String(SLOW / (READERS.within / 1_000)), '-l', String(SECONDS + READERS.within / 1_000)],
            ...['-u', '/public/large'],
          ],
          allowed: 20,
        },
      }
    : {};

for (const [name, { args, allowed }] of Object.entries(theirs)) {
  t.test(`${name} of slowhttptest find the gateway available to the end`, async (t) => {
    const it = await scene(t);
    const url = `http://127.0.0.1:${it.gateway.port}${args.at(-1)}`;
    const common = ['-c', String(SLOW), '-r', String(SLOW / 2), '-i', '1', '-l', String(SECONDS), '-p', '3'];
    let said = '';
    await during(
      t,
      it,
      async () => {
        const stdio = ['ignore', 'pipe', 'inherit'] as const;
        const child = spawn('slowhttptest', [...common, ...args.slice(0, -1), url], { stdio: [...stdio] });
        [said] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')]);
      },
      allowed,
    );
    const available = [...stripVTControlCharacters(said).matchAll(/service available:\s+(YES|NO)/g)];
    const words = available.map(([, word]) => word);
    t.ok(words.length > 0 && words.every((word) => word === 'YES'), `available ${words.join(' ')}`);
    t.strictSame(throws(it.gateway.output()), []);
  });
}

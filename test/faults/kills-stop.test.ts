import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { LAST_REQUESTS } from '../../src/base/last-requests.ts';
import { behind } from '../support/gateway.ts';
import { type Group, group } from '../support/group.ts';
import { connectTo } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { type Witness, witness } from '../support/witness.ts';
import { sized } from './support/size.ts';
import { closes, freshAsker, keptAsker, nextTarget, type Told } from './support/stop-load.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(900_000);

const STOPS = sized(3, 25, 50);
/** Gateways that run, and are stopped, at the same time. */
const AT_ONCE = sized(3, 5, 5);
/** Milliseconds from the signal to the end of the longest request. */
const LONGEST = sized(1_500, 2_500, 2_500);
/** Milliseconds after which every worker has got the signal. */
const ON_ITS_WAY = 350;
/** Milliseconds that a request may be on its way to the gateway. */
const SENT = sized(150, 0, 0);

/**
 * Milliseconds between an answer and the next request, for clients that keep their connection, and for clients that do
 * not.
 */
const KEPT = [0, 0, 0, 0, 0, 0, 20, 20, 100, 100, 200, 200];
const FRESH = [1, 1, 5, 5];

for (const workers of [1, 2]) {
  const title = `SIGTERM under load, ${STOPS} times, workers: ${workers}: no request is cut, \`Connection: close\`, exit 0`;
  void t.test(title, async (t) => {
    const upstream = await answering(t);
    const sums = { requests: 0, late: 0, reset: 0 };
    for (let stop = 0; stop < STOPS; stop += AT_ONCE) {
      const size = Math.min(AT_ONCE, STOPS - stop);
      const all = Array.from({ length: size }, () => group(t, behind(upstream.url), workers));
      await Promise.all((await Promise.all(all)).map((served) => stopped(t, served, upstream, sums)));
      upstream.forget();
    }
    t.comment(
      `${sums.requests} requests, ${sums.late} sent too late on a kept connection, ${sums.reset} on a new one that was not taken`,
    );
  });
}

/** Short, long, uploads and event streams, distinguished by their paths. */
async function answering(t: Test): Promise<Witness> {
  const upstream = await witness(t);
  const later: Record<string, number> = { short: 10, long: LONGEST };
  upstream.behave((_request, response, { target }) => {
    const [, , kind = ''] = target.split('/');
    if (kind !== 'events') return void setTimeout(() => response.end(target), later[kind] ?? 0);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const end = performance.now() + LONGEST;
    const timer = setInterval(() => {
      response.write('data: 1\n\n');
      if (performance.now() < end) return;
      clearInterval(timer);
      response.end('data: end\n\n');
    }, 50);
  });
  return upstream;
}

interface Sums {
  requests: number;
  /** On kept connections, later than the gateway waits. */
  late: number;
  /** On new connections, before the gateway read a byte of theirs. */
  reset: number;
}

async function stopped(t: Test, served: Group, upstream: Witness, sums: Sums): Promise<void> {
  const { port } = served;
  const path = '/public/short';
  const kept = KEPT.map((between) => keptAsker({ port, path, between }));
  const fresh = FRESH.map((between) => freshAsker({ port, path, between }));
  const askers = [...kept, ...fresh];
  t.ok(await until(() => askers.every(({ told }) => told.length > 1), 30_000), 'all are served');
  const long = [
    ...Array.from({ length: 8 }, () => answered(port, requestText({ target: nextTarget('/public/long') }))),
    ...Array.from({ length: 2 }, () => uploaded(port)),
    ...Array.from({ length: 2 }, () => answered(port, requestText({ target: nextTarget('/public/events') }))),
  ];
  await pause(300);
  const signalled = performance.now();
  served.process.kill('SIGTERM');
  t.ok(await until(() => served.said('"stopping"') > 0));
  const known = performance.now() + ON_ITS_WAY;
  const whole = await Promise.all(long);
  t.match(await served.ended(), { status: 0 });
  await Promise.all(askers.map(({ over }) => over));

  t.strictSame(
    whole.map((response) => response?.complete && response.status),
    whole.map(() => 200),
    'all are whole',
  );
  // The head of an event stream was sent before the signal.
  const silent = whole.slice(0, -2).filter((response) => response !== undefined && !closes(response));
  t.equal(silent.length, 0, '`Connection: close` to what was in flight');
  const told = askers.flatMap((asker) => asker.told);
  const unsaid = told.filter(({ from, response }) => from > known && response !== undefined && !closes(response));
  t.strictSame(ids(unsaid), [], 'and to what came later');
  const without = told.filter(({ response }) => response === undefined);
  const kind = (isKept: boolean) => without.filter(({ kept }) => kept === isKept);
  const soon = kind(true).filter(({ from }) => from < signalled + LAST_REQUESTS - SENT);
  t.strictSame(ids(soon), [], 'nothing that is sent on a kept connection in time is lost');
  const seen = new Set(upstream.seen.map(({ target }) => target));
  const forwarded = without.filter(({ id }) => seen.has(id));
  t.strictSame(ids(forwarded), [], 'what gets no answer was not forwarded');
  const wrong = told.filter(({ response }) => response && (response.status !== 200 || !response.complete));
  t.strictSame(ids(wrong), [], 'every answer is a whole one of the upstream');
  sums.requests += told.length + whole.length;
  sums.late += kind(true).length;
  sums.reset += kind(false).length;
}

function ids(told: readonly Told[]): string[] {
  return told.map(({ id }) => id);
}

async function answered(port: number, bytes: Buffer): Promise<RawResponse | undefined> {
  const client = await connectTo(port);
  client.send(bytes);
  const response = await client.read({ deadline: 20_000 });
  client.destroy();
  return response;
}

/** In pieces. The last one comes long after the signal. */
async function uploaded(port: number): Promise<RawResponse | undefined> {
  const client = await connectTo(port);
  const [pieces, size] = [20, 4096];
  const headers = [['Content-Length', String(pieces * size)]] as const;
  client.send(requestText({ method: 'PUT', target: nextTarget('/public/upload'), headers }));
  for (let piece = 0; piece < pieces; piece++) {
    client.send(Buffer.alloc(size, piece));
    await pause(LONGEST / pieces);
  }
  const response = await client.read({ method: 'PUT', deadline: 20_000 });
  client.destroy();
  return response;
}

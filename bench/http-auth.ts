import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { cpuTime, start, stop } from './children.ts';
import { cores } from './cores.ts';
import { type Caller, type CallerTurn, callers, strangersFor, YARDSTICK } from './http-auth-callers.ts';
import { type HttpAuthPlace, prepareHttpAuth } from './http-auth-place.ts';
import { aligned, median } from './report.ts';
import type { Measured } from './wrk.ts';

export interface HttpAuthBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

/** One caller in one round of load. */
interface HttpAuthRun extends Measured {
  readonly name: string;
  readonly round: number;
  /** Microseconds of the gateway's CPU time a request. */
  readonly cpu: number;
}

export interface HttpAuthResult {
  readonly name: string;
  /** Medians. */
  readonly cpu: number;
  readonly perSecond: number;
  readonly p99: number;
  /** CPU a request, relative to the open route in the same round: median, minimum, maximum. */
  readonly ratio: { readonly median: number; readonly least: number; readonly most: number };
  /** The same for the round in which each used the least CPU, because other work on the machine only adds time. */
  readonly quietest: number;
}

export interface HttpAuthReport {
  readonly results: readonly HttpAuthResult[];
  readonly runs: readonly HttpAuthRun[];
  readonly load: { readonly before: number; readonly after: number };
  readonly cores: typeof cores;
}

const WARM_UP = 2;

/** What each kind of credential costs the gateway, compared with a route that needs none. */
export async function benchHttpAuth(bench: HttpAuthBench): Promise<HttpAuthReport> {
  const place = await prepareHttpAuth(strangersFor(bench));
  const children: ChildProcess[] = [];
  const before = loadavg()[0] ?? 0;
  try {
    children.push(await start(place.upstream));
    const gateway = await start(place.gateway);
    children.push(gateway);
    const runs = await runRounds(place, gateway, bench);
    const results = callers().map(({ name }) => summarize(name, runs));
    return { results, runs, load: { before, after: loadavg()[0] ?? 0 }, cores };
  } finally {
    await Promise.all(children.map(stop));
    place.remove();
  }
}

/** Rounds are interleaved, and each round begins with a different caller. */
async function runRounds(place: HttpAuthPlace, { pid }: ChildProcess, bench: HttpAuthBench): Promise<HttpAuthRun[]> {
  const { rounds, seconds, connections, say } = bench;
  const all = callers();
  const seen = new Map<string, number>();
  const load = async ({ name, prepare, most = connections }: Caller, length: number) => {
    const turn: CallerTurn = {
      place,
      seconds: length,
      connections: Math.min(most, connections),
      seen: seen.get(name) ?? 0,
    };
    const send = await prepare(turn);
    const before = cpuTime(pid as number);
    const measured = await send();
    seen.set(name, Math.max(turn.seen, measured.perSecond));
    return { ...measured, cpu: (cpuTime(pid as number) - before) / measured.requests };
  };
  for (const caller of all) {
    say(`warming up: ${caller.name}`);
    await load(caller, WARM_UP);
  }
  const runs: HttpAuthRun[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const [index] of all.entries()) {
      const caller = all[(index + round) % all.length] as Caller;
      const run = { name: caller.name, round, ...(await load(caller, seconds)) };
      say(`round ${round}: ${run.name}: ${run.cpu.toFixed(1)} µs a request, ${run.perSecond.toFixed(0)} a second`);
      runs.push(run);
    }
  }
  return runs;
}

function summarize(name: string, runs: readonly HttpAuthRun[]): HttpAuthResult {
  const of = (wanted: string) => runs.filter((run) => run.name === wanted);
  const own = of(name);
  const least = (wanted: string) => Math.min(...of(wanted).map(({ cpu }) => cpu));
  const beside = ({ round }: HttpAuthRun) => of(YARDSTICK).find((run) => run.round === round)?.cpu ?? Number.NaN;
  const ratios = own.map((run) => run.cpu / beside(run));
  return {
    name,
    cpu: median(own.map(({ cpu }) => cpu)),
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    p99: median(own.map(({ p99 }) => p99)),
    ratio: { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
    quietest: least(name) / least(YARDSTICK),
  };
}

const columns: readonly { readonly title: string; readonly cell: (result: HttpAuthResult) => string }[] = [
  { title: 'caller', cell: ({ name }) => name },
  { title: 'CPU µs/request', cell: ({ cpu }) => cpu.toFixed(1) },
  { title: `÷ ${YARDSTICK}`, cell: ({ ratio }) => ratio.median.toFixed(3) },
  { title: 'least–most', cell: ({ ratio }) => `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}` },
  { title: 'quietest', cell: ({ quietest }) => quietest.toFixed(3) },
  { title: 'requests/s', cell: ({ perSecond }) => perSecond.toFixed(0) },
  { title: 'p99 ms', cell: ({ p99 }) => p99.toFixed(2) },
];

export function httpAuthTable({ results, load, cores: where }: HttpAuthReport): string {
  const rows = aligned([
    columns.map(({ title }) => title),
    ...results.map((row) => columns.map(({ cell }) => cell(row))),
  ]);
  const placed =
    where === undefined ? 'no cores of their own' : `gateway on core ${where.contender}, load on ${where.load}`;
  return `${rows}\n\n${placed}; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`;
}

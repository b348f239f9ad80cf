import type { ChildProcess } from 'node:child_process';
import { cpuTime, memory, start, stop } from './children.ts';
import { generator } from './generator.ts';
import { inTurn } from './in-turn.ts';
import { aligned, median } from './report.ts';
import { COUNTS, nameOf, prepareRoutes, type RouteContender, type RoutePlace } from './route-place.ts';
import { type UnderLoad, underLoad } from './under-load.ts';
import { wrk } from './wrk.ts';

export interface RouteBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly engine: 'own' | 'undici';
  readonly say: (message: string) => void;
}

/** One gateway in one round of load. */
export interface RouteRun extends UnderLoad {
  readonly name: string;
  readonly round: number;
}

/** One start of one gateway. */
interface RouteStart {
  readonly name: string;
  readonly round: number;
  /** From the spawn of the process to the first connection that it accepts, milliseconds. */
  readonly start: number;
  /** CPU time until then, milliseconds. */
  readonly cpu: number;
  /** Resident memory then, MiB. */
  readonly memory: number;
}

export interface RouteResult {
  readonly name: string;
  /** Medians. */
  readonly cpu: number;
  readonly perSecond: number;
  readonly start: number;
  readonly startCpu: number;
  readonly memory: number;
  readonly loaded: number;
  /** CPU a request, relative to ten routes in the same round: median, minimum, maximum. */
  readonly ratio: { readonly median: number; readonly least: number; readonly most: number };
  /** The same for the round in which each used the least CPU, because other work on the machine only adds time. */
  readonly quietest: number;
}

export interface RouteReport {
  readonly results: readonly RouteResult[];
  readonly runs: readonly RouteRun[];
  readonly starts: readonly RouteStart[];
}

/** What a request, a start and memory cost with many routes, compared with the same gateway with ten. */
export async function benchRoutes(bench: RouteBench): Promise<RouteReport> {
  const place = await prepareRoutes(bench.engine);
  const programs = new Map<RouteContender, ChildProcess>();
  let upstream: ChildProcess | undefined;
  try {
    const starts = await runStarts(place.contenders, bench);
    upstream = await start(place.upstream);
    for (const contender of place.contenders) programs.set(contender, await start(contender.command));
    const runs = await runLoad(place, programs, bench);
    const loaded = new Map([...programs].map(([{ name }, { pid }]) => [name, memory(pid as number).rss]));
    return { results: place.contenders.map((each) => summarize(each, { runs, starts, loaded })), runs, starts };
  } finally {
    await Promise.all([...programs.values(), ...(upstream === undefined ? [] : [upstream])].map(stop));
    place.remove();
  }
}

/** While no other program of ours runs. */
async function runStarts(contenders: readonly RouteContender[], { rounds, say }: RouteBench): Promise<RouteStart[]> {
  const starts: RouteStart[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const contender of inTurn(contenders, round)) {
      const began = performance.now();
      const child = await start(contender.command);
      const run = { name: contender.name, round, start: performance.now() - began, ...spentBy(child) };
      await stop(child);
      starts.push(run);
      say(`start ${round}: ${run.name}: ${run.start.toFixed(0)} ms, ${run.memory.toFixed(0)} MiB`);
    }
  }
  return starts;
}

function spentBy({ pid }: ChildProcess): Pick<RouteStart, 'cpu' | 'memory'> {
  return { cpu: cpuTime(pid as number) / 1000, memory: memory(pid as number).rss };
}

/** Seconds. Long enough for each of ten thousand routes to get a few requests. */
const WARM_UP = 5;

async function runLoad(
  place: RoutePlace,
  programs: ReadonlyMap<RouteContender, ChildProcess>,
  { rounds, seconds, connections, say }: RouteBench,
): Promise<RouteRun[]> {
  const load = ({ url, paths }: RouteContender, length: number) =>
    wrk({ url, token: place.token, seconds: length, connections, script: [place.script, paths], prefix: generator });
  for (const contender of place.contenders) {
    say(`warming up: ${contender.name}`);
    await load(contender, WARM_UP);
  }
  const runs: RouteRun[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const contender of inTurn(place.contenders, round)) {
      const pid = programs.get(contender)?.pid as number;
      const run = { name: contender.name, round, ...(await underLoad(pid, () => load(contender, seconds))) };
      say(`round ${round}: ${run.name}: ${run.cpu.toFixed(1)} µs a request`);
      runs.push(run);
    }
  }
  return runs;
}

interface All {
  readonly runs: readonly RouteRun[];
  readonly starts: readonly RouteStart[];
  readonly loaded: ReadonlyMap<string, number>;
}

function summarize({ name, access }: RouteContender, { runs, starts, loaded }: All): RouteResult {
  const own = runs.filter((run) => run.name === name);
  const begun = starts.filter((run) => run.name === name);
  const fewest = nameOf(COUNTS[0], access);
  const beside = ({ round }: RouteRun) => runs.find((run) => run.name === fewest && run.round === round)?.cpu;
  const ratios = own.map((run) => run.cpu / (beside(run) ?? Number.NaN));
  const least = (of: string) => Math.min(...runs.filter((run) => run.name === of).map(({ cpu }) => cpu));
  return {
    name,
    cpu: median(own.map(({ cpu }) => cpu)),
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    start: median(begun.map((run) => run.start)),
    startCpu: median(begun.map(({ cpu }) => cpu)),
    memory: median(begun.map(({ memory }) => memory)),
    loaded: loaded.get(name) ?? Number.NaN,
    ratio: { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
    quietest: least(name) / least(fewest),
  };
}

const columns: readonly { readonly title: string; readonly cell: (result: RouteResult) => string }[] = [
  { title: 'gateway', cell: ({ name }) => name },
  { title: 'CPU µs/request', cell: ({ cpu }) => cpu.toFixed(1) },
  { title: `÷ ${COUNTS[0]} routes`, cell: ({ ratio }) => ratio.median.toFixed(3) },
  { title: 'least–most', cell: ({ ratio }) => `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}` },
  { title: 'quietest', cell: ({ quietest }) => quietest.toFixed(3) },
  { title: 'requests/s', cell: ({ perSecond }) => perSecond.toFixed(0) },
  { title: 'start ms', cell: ({ start: time }) => time.toFixed(0) },
  { title: 'start CPU ms', cell: ({ startCpu }) => startCpu.toFixed(0) },
  { title: 'MiB', cell: ({ memory }) => memory.toFixed(0) },
  { title: 'MiB loaded', cell: ({ loaded }) => loaded.toFixed(0) },
];

export function routeTable(results: readonly RouteResult[]): string {
  return aligned([columns.map(({ title }) => title), ...results.map((row) => columns.map(({ cell }) => cell(row)))]);
}

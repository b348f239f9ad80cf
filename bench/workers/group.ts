import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, cpuTime, start, stop } from '../children.ts';
import { median } from '../report.ts';
import { freePorts } from '../route-place.ts';
import { wrk } from '../wrk.ts';

/** What a request costs so many workers, with the primary, or so many independent gateways. */
export interface GroupCost {
  readonly name: string;
  /** All generators together keep this many open. */
  readonly connections: number;
  /** Microseconds of CPU time a request, and requests a second: medians. */
  readonly cpu: number;
  readonly perSecond: number;
  /** CPU relative to one worker, and to as many independent gateways, in the same round. */
  readonly ofOne: Ratio;
  readonly ofApart: Ratio;
}

interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface GroupBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

/** So many serving processes: at one port together, or each at its own port. */
interface Contender {
  readonly workers: number;
  readonly apart: boolean;
}

interface Run {
  readonly contender: Contender;
  readonly path: string;
  readonly round: number;
  readonly cpu: number;
  readonly perSecond: number;
}

const contenders: readonly Contender[] = [
  { workers: 1, apart: true },
  { workers: 2, apart: true },
  { workers: 2, apart: false },
  { workers: 4, apart: true },
  { workers: 4, apart: false },
];
const PATHS = ['/open', '/limited'] as const;
const launcher = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const listeners = fileURLToPath(new URL('listeners.ts', import.meta.url));
const WARM_UP = 2;

interface Started {
  readonly contender: Contender;
  readonly ports: readonly number[];
  readonly children: readonly ChildProcess[];
}

export async function groupCosts(bench: GroupBench): Promise<GroupCost[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [upstreamPort = 0] = await freePorts(1);
  const started: Started[] = [];
  const upstream = [listeners, 'reuse-port', '1', String(upstreamPort)];
  const behind = await start({ file: process.execPath, args: upstream, ports: [upstreamPort] });
  try {
    for (const contender of contenders) started.push(await startAll(contender, folder, upstreamPort));
    const runs: Run[] = [];
    for (const path of PATHS) {
      for (const each of started) await load(each, path, { ...bench, seconds: WARM_UP });
      for (let round = 1; round <= bench.rounds; round++) {
        for (const each of started) runs.push(await measured(each, { path, round }, bench));
      }
    }
    return PATHS.flatMap((path) =>
      contenders.map((contender) => ({ ...summarize(runs, path, contender), connections: bench.connections })),
    );
  } finally {
    await Promise.all([behind, ...started.flatMap(({ children }) => children)].map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startAll(contender: Contender, folder: string, upstreamPort: number): Promise<Started> {
  const { workers, apart } = contender;
  const ports = await freePorts(apart ? workers : 1);
  const each = ports.map((port) => gateway(folder, { workers: apart ? 1 : workers, port, upstreamPort }));
  const children: ChildProcess[] = [];
  for (const command of each) children.push(await start(command));
  return { contender, ports, children };
}

async function measured(each: Started, { path, round }: Pick<Run, 'path' | 'round'>, bench: GroupBench): Promise<Run> {
  const spent = () => each.children.reduce((sum, { pid }) => sum + cpuTime(pid as number), 0);
  const before = spent();
  const loads = await load(each, path, bench);
  const cpu = (spent() - before) / total(loads.map(({ requests }) => requests));
  bench.say(`round ${round}: ${nameOf(each.contender, path)}: ${cpu.toFixed(1)} µs a request`);
  return { contender: each.contender, path, round, cpu, perSecond: total(loads.map(({ perSecond }) => perSecond)) };
}

/** The same connections for all, from as many generators as there are serving processes. */
function load({ contender: { workers }, ports }: Started, path: string, { seconds, connections }: GroupBench) {
  const share = Math.max(1, Math.floor(connections / workers));
  const urls = Array.from({ length: workers }, (_, index) => at(ports[index % ports.length] ?? 0, path));
  return Promise.all(urls.map((url) => wrk({ url, seconds, connections: share })));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function nameOf({ workers, apart }: Contender, path: string): string {
  if (workers === 1) return `${path}, 1 worker`;
  return apart ? `${path}, ${workers} gateways apart` : `${path}, ${workers} workers`;
}

function at(port: number, path: string): string {
  return `http://127.0.0.1:${port}${path}`;
}

interface Wanted {
  readonly workers: number;
  readonly port: number;
  readonly upstreamPort: number;
}

function gateway(folder: string, { workers, port, upstreamPort }: Wanted): Command {
  const file = join(folder, `gateway-${port}.yaml`);
  writeFileSync(
    file,
    [
      'version: 1',
      `listen: 127.0.0.1:${port}`,
      `workers: ${workers}`,
      'log: { level: warn, format: json }',
      `upstreams: { api: { url: "http://127.0.0.1:${upstreamPort}" } }`,
      'defaults: { upstream: api }',
      'routes:',
      '  - { id: open, match: { path: /open }, access: public }',
      '  - id: limited',
      '    match: { path: /limited }',
      '    access: public',
      '    rate_limit: { by: address, requests: 1000000000, per: 1h }',
      '',
    ].join('\n'),
  );
  return { file: process.execPath, args: [launcher, 'gateway', '--config', file], ports: [port] };
}

function summarize(runs: readonly Run[], path: string, contender: Contender): Omit<GroupCost, 'connections'> {
  const of = (wanted: Contender) => runs.filter((run) => run.path === path && run.contender === wanted);
  const own = of(contender);
  const beside = (workers: number): Ratio => {
    const other = contenders.find((each) => each.apart && each.workers === workers) ?? contender;
    const ratios = own.map(({ cpu, round }) => cpu / (of(other).find((run) => run.round === round)?.cpu ?? Number.NaN));
    return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
  };
  return {
    name: nameOf(contender, path),
    cpu: median(own.map(({ cpu }) => cpu)),
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    ofOne: beside(1),
    ofApart: beside(contender.workers),
  };
}

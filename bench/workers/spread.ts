import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuTime, start, stop } from '../children.ts';
import { median } from '../report.ts';
import { freePorts } from '../route-place.ts';
import { wrk } from '../wrk.ts';

/** How kept connections spread over the workers. */
export interface Spread {
  readonly way: string;
  readonly workers: number;
  readonly connections: number;
  /**
   * The connections of the worker that has the most, relative to an even spread: 1 is even. Median and worst of the
   * tries.
   */
  readonly most: number;
  readonly worst: number;
  /** Connections of each worker in the first try, most first. */
  readonly shares: readonly number[];
  /** Workers without any connection, in all tries. */
  readonly idle: number;
}

export interface Opening {
  readonly way: string;
  readonly workers: number;
  /** Microseconds of CPU time of a request on a connection of its own, and on a kept connection. */
  readonly opened: number;
  readonly kept: number;
}

const listeners = fileURLToPath(new URL('listeners.ts', import.meta.url));
export const ways = ['reuse-port', 'round-robin', 'shared-handle', 'fewest-first'] as const;

/** The environment of a try. `port` accepts before all workers do. */
async function running<Result>(way: string, workers: number, port: number, use: (pid: number) => Promise<Result>) {
  const args = [listeners, way, String(workers), String(port)];
  const child = await start({ file: process.execPath, args, ports: [port] });
  try {
    await all(workers, port);
    return await use(child.pid as number);
  } finally {
    await stop(child);
  }
}

const PATIENCE = 15_000;

/** Waits until every worker has answered once. */
async function all(workers: number, port: number): Promise<void> {
  const seen = new Set<string>();
  for (const began = performance.now(); seen.size < workers; ) {
    if (performance.now() - began > PATIENCE) throw new Error(`${seen.size} of ${workers} workers answer`);
    // While workers start, a connection can be lost.
    for (const pid of await owners(port, workers * 4).catch((): string[] => [])) seen.add(pid);
  }
}

/** The process behind each of so many connections that are open at the same time. */
async function owners(port: number, connections: number): Promise<string[]> {
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  try {
    const found: string[] = [];
    for (const agent of agents) found.push(await ask(agent, port));
    return found;
  } finally {
    for (const agent of agents) agent.destroy();
  }
}

function ask(agent: Agent, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent, port, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text));
    });
    asked.on('error', reject).end();
  });
}

interface SpreadOptions {
  readonly tries: number;
  readonly port: number;
}

export async function spread(way: string, workers: number, tries: number): Promise<Spread[]> {
  const [port = 0] = await freePorts(1);
  return running(way, workers, port, async () => {
    const results: Spread[] = [];
    for (const connections of [4, 8, 50]) results.push(await tried({ way, workers, connections, tries, port }));
    return results;
  });
}

type Tried = SpreadOptions & Pick<Spread, 'way' | 'workers' | 'connections'>;

async function tried({ way, workers, connections, tries, port }: Tried): Promise<Spread> {
  const counts: number[][] = [];
  for (let each = 0; each < tries; each++) {
    counts.push(shares(await owners(port, connections), workers));
    // All workers must know that these are closed before the next connections open.
    await pause(20);
  }
  const most = counts.map(([first = 0]) => (first * workers) / connections);
  return {
    way,
    workers,
    connections,
    most: median(most),
    worst: Math.max(...most),
    shares: counts[0] ?? [],
    idle: counts.flat().filter((count) => count === 0).length / tries,
  };
}

function shares(pids: readonly string[], workers: number): number[] {
  const counts = [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length);
  while (counts.length < workers) counts.push(0);
  return counts.sort((one, other) => other - one);
}

/** What it costs to bring a connection to its worker. */
export async function opening(way: string, workers: number, seconds: number): Promise<Opening> {
  const [port = 0] = await freePorts(1);
  return running(way, workers, port, async (pid) => {
    const url = `http://127.0.0.1:${port}/`;
    const costs: number[] = [];
    for (const headers of [['Connection: close'], []]) {
      const before = cpuTime(pid);
      const { requests } = await wrk({ url, headers, seconds, connections: 16 });
      costs.push((cpuTime(pid) - before) / requests);
    }
    const [opened = Number.NaN, kept = Number.NaN] = costs;
    return { way, workers, opened, kept };
  });
}

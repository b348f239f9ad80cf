import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuTime, start, stop } from '../children.ts';
import { pinned } from '../cores.ts';
import { generator } from '../generator.ts';
import { inTurn } from '../in-turn.ts';
import { pathsFor, routeFile, upstreamConf } from '../route-files.ts';
import { freePorts, makeToken } from '../route-place.ts';
import { wrk } from '../wrk.ts';
import type { Cost, CostBench } from './bench.ts';

const ROUTES = 20;

/** The gateways of both trees run, and one at a time gets requests. */
export async function measureOverSockets(bench: CostBench, here: string): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [upstreamPort = 0, basePort = 0, ourPort = 0] = await freePorts(3);
  const save = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const conf = save('upstream.conf', upstreamConf(folder, upstreamPort));
  const args = ['-p', folder, '-c', conf, '-g', 'daemon off;'];
  const programs: ChildProcess[] = [];
  const gateway = async (name: string, root: string, port: number) => {
    const upstream = `http://127.0.0.1:${upstreamPort}`;
    const file = save(`${name}.yaml`, routeFile({ count: ROUTES, access: 'scope', port, upstream, engine: 'own' }));
    const command = { file: process.execPath, args: [`${root}/bin/gatehouse.js`, 'gateway', '--config', file] };
    const program = await start(pinned({ ...command, ports: [port] }, 'contender'));
    programs.push(program);
    return { pid: program.pid as number, url: `http://127.0.0.1:${port}${pathsFor(ROUTES, ROUTES)[0]}` };
  };
  try {
    programs.push(await start(pinned({ file: 'nginx', args, ports: [upstreamPort] }, 'load')));
    const trees = [
      ['base', await gateway('base', bench.base, basePort)],
      ['ours', await gateway('ours', here, ourPort)],
    ] as const;
    return { name: 'over sockets', ...(await interleaved(trees, bench)) };
  } finally {
    await Promise.all(programs.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

type Tree = readonly [name: 'base' | 'ours', program: { readonly pid: number; readonly url: string }];

async function interleaved(trees: readonly Tree[], bench: CostBench): Promise<Pick<Cost, 'base' | 'ours'>> {
  const spent = { base: [] as number[], ours: [] as number[] };
  const token = await makeToken();
  // The first round warms up both and does not count.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [name, { pid, url }] of inTurn(trees, round + 1)) {
      const before = cpuTime(pid);
      const { requests } = await wrk({
        url,
        token,
        seconds: bench.seconds,
        connections: bench.connections,
        prefix: generator,
      });
      if (round > 0) spent[name].push((cpuTime(pid) - before) / requests);
    }
    bench.say(`sockets ${round}: ${spent.base.at(-1)?.toFixed(2)} µs, ours ${spent.ours.at(-1)?.toFixed(2)} µs`);
  }
  return spent;
}

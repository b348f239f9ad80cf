import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pinned } from '../cores.ts';
import { inTurn } from '../in-turn.ts';
import { median } from '../report.ts';
import { measureOverSockets } from './over-sockets.ts';

/** The base: the tree whose requests cost 1. */
export interface CostBench {
  readonly base: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

export interface Cost {
  readonly name: string;
  /** CPU microseconds of a request in each round: of the base, and of this tree. */
  readonly base: readonly number[];
  readonly ours: readonly number[];
}

const child = fileURLToPath(new URL('child.ts', import.meta.url));
const here = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Requested paths: one like nearly every request has, and one with percent-encoding. */
const TARGETS = { plain: '/r7/orders/42?page=1', encoded: '/r7/a%40b.example/42?page=1' };
const REQUESTS = 100_000;

/**
 * What a request with a cached JWT costs in this tree and in another: its JavaScript alone, and over real connections.
 */
export async function benchCost(bench: CostBench): Promise<readonly Cost[]> {
  const stubbed: Cost[] = [];
  for (const [name, target] of Object.entries(TARGETS)) stubbed.push(await stubbedCost(bench, name, target));
  return [...stubbed, await measureOverSockets(bench, here)];
}

async function stubbedCost({ base, rounds, say }: CostBench, name: string, target: string): Promise<Cost> {
  const spent = { base: [] as number[], ours: [] as number[] };
  const trees = [
    ['base', base],
    ['ours', here],
  ] as const;
  for (let round = 1; round <= rounds; round++) {
    for (const [tree, root] of inTurn(trees, round)) spent[tree].push(await askChild(root, target));
    say(`${name} ${round}: ${spent.base.at(-1)?.toFixed(2)} µs, ours ${spent.ours.at(-1)?.toFixed(2)} µs`);
  }
  return { name: `sockets stubbed, ${name} path`, ...spent };
}

async function askChild(root: string, target: string): Promise<number> {
  const args = [child, root, target, String(REQUESTS)];
  const { file, args: all } = pinned({ file: process.execPath, args, ports: [] }, 'contender');
  const { stdout } = await promisify(execFile)(file, [...all]);
  return Number(stdout);
}

export function costTable(costs: readonly Cost[]): string {
  const rows = costs.map(({ name, base, ours }) => {
    const [least, of] = [Math.min(...ours), Math.min(...base)];
    const ratios = ours.map((value, index) => value / (base[index] ?? Number.NaN));
    return `| ${name} | ${of.toFixed(2)} | ${least.toFixed(2)} | ${(least / of).toFixed(3)} | ${median(ratios).toFixed(3)} |`;
  });
  return [
    '| CPU of a request | base, least µs | ours, least µs | least ÷ least | median of ratios |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

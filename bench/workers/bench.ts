import { type GroupCost, groupCosts } from './group.ts';
import { type Opening, opening, type Spread, spread, ways } from './spread.ts';

export interface WorkersBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

export interface WorkersReport {
  readonly spreads: readonly Spread[];
  readonly openings: readonly Opening[];
  readonly costs: readonly GroupCost[];
}

const TRIES = 20;
/** So few connections for each process that two of them seldom have work at the same time. */
const FEW = [4, 8];

/** How connections spread over workers with each way of distribution, and what a request costs a group of workers. */
export async function benchWorkers(bench: WorkersBench): Promise<WorkersReport> {
  const spreads: Spread[] = [];
  const openings: Opening[] = [];
  for (const way of ways) {
    for (const workers of [2, 4]) {
      bench.say(`${way}: ${workers} workers`);
      spreads.push(...(await spread(way, workers, TRIES)));
    }
    openings.push(await opening(way, 2, bench.seconds));
  }
  const costs: GroupCost[] = [];
  for (const connections of new Set([...FEW, bench.connections]))
    costs.push(...(await groupCosts({ ...bench, connections })));
  return { spreads, openings, costs };
}

export function workersTable({ spreads, openings, costs }: WorkersReport): string {
  const lines = [
    '| way | workers | connections | most ÷ even, median (worst) | idle workers a try | shares of the first try |',
    '|---|---|---|---|---|---|',
    ...spreads.map(
      ({ way, workers, connections, most, worst, idle, shares }) =>
        `| ${way} | ${workers} | ${connections} | ${most.toFixed(2)} (${worst.toFixed(2)}) | ${idle.toFixed(2)} | ${shares.join(' ')} |`,
    ),
    '',
    '| way | workers | CPU µs of a request on a connection of its own | on a kept one |',
    '|---|---|---|---|',
    ...openings.map(
      ({ way, workers, opened, kept }) => `| ${way} | ${workers} | ${opened.toFixed(1)} | ${kept.toFixed(1)} |`,
    ),
    '',
    '| gateway | connections | CPU µs/request | ÷ one worker (least–most) | ÷ as many apart (least–most) | requests/s |',
    '|---|---|---|---|---|---|',
    ...costs.map(
      ({ name, connections, cpu, ofOne, ofApart, perSecond }) =>
        `| ${name} | ${connections} | ${cpu.toFixed(1)} | ${inWords(ofOne)} | ${inWords(ofApart)} | ${perSecond.toFixed(0)} |`,
    ),
  ];
  return lines.join('\n');
}

function inWords({ median, least, most }: GroupCost['ofOne']): string {
  return `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
}

import { loadavg } from 'node:os';
import { accepts } from '../children.ts';
import { isTool } from '../tools.ts';
import { fingerprints } from './fixed-files.ts';
import { judge, type PartReport } from './judge.ts';
import type { PartBench } from './part.ts';
import { parts } from './parts.ts';
import { type Surroundings, surroundings } from './surroundings.ts';

/** One run of some parts, or several runs with one part each. */
export interface GatewayReport {
  readonly surroundings: Surroundings;
  /** SHA-256 of the fixed contenders. */
  readonly files: Readonly<Record<string, string>>;
  readonly parts: readonly PartReport[];
}

/** Names of parts, comma-separated; undefined means all. The result is undefined if a part does not exist. */
export function namedParts(only: string | undefined): readonly string[] | undefined {
  const names = parts.map(({ name }) => name);
  const wanted = only?.split(',') ?? names;
  return wanted.every((name) => names.includes(name)) ? wanted : undefined;
}

export const partNames = parts.map(({ name }) => name).join(', ');

export async function benchGateway(bench: PartBench, only: readonly string[]): Promise<GatewayReport> {
  const fault = await whyNotHere();
  if (fault !== undefined) throw new Error(fault);
  const reports: PartReport[] = [];
  for (const part of parts.filter(({ name }) => only.includes(name))) {
    bench.say(`\n${part.name}: ${part.about}`);
    const before = loadavg()[0] ?? 0;
    const turns = await part.measure(bench);
    reports.push(judge(part, bench, turns, { before, after: loadavg()[0] ?? 0 }));
  }
  return { surroundings: surroundings(), files: fingerprints(), parts: reports };
}

const fixedPorts = [9000, 9001, 9002, 9101, 9103, 9104, 9105, 9106, 9107, 9201];

async function whyNotHere(): Promise<string | undefined> {
  const missing = ['wrk', 'nginx'].find((tool) => !isTool(tool));
  if (missing !== undefined) return `${missing} is not installed: apt-get install ${missing}`;
  for (const port of fixedPorts) if (await accepts(port)) return `port ${port} is taken: stop what listens there`;
  return undefined;
}

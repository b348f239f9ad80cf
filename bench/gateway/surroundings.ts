import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { cores } from '../cores.ts';

export interface Surroundings {
  readonly processor: string;
  readonly cores: number;
  /** Which core the contender has, and which the load has; absent if the scheduler decides. */
  readonly placed?: Readonly<Record<string, number>>;
  readonly versions: Readonly<Record<string, string>>;
}

/** What prints its version, and how. */
const programs: Readonly<Record<string, readonly [file: string, argument: string, version: RegExp]>> = {
  nginx: ['nginx', '-v', /nginx\/([\d.]+)/],
  wrk: ['wrk', '-v', /^wrk (?:debian\/)?([\d.]+)/],
  HAProxy: ['/usr/sbin/haproxy', '-v', /HAProxy version ([\d.]+)/],
  Apache: ['/usr/sbin/apache2', '-v', /Apache\/([\d.]+)/],
};

export function surroundings(): Surroundings {
  const [first] = cpus();
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    ...(cores === undefined ? {} : { placed: cores }),
    versions: { 'Node.js': process.versions.node, ...Object.fromEntries(Object.entries(programs).flatMap(versionOf)) },
  };
}

function versionOf([name, [file, argument, pattern]]: [string, (typeof programs)[string]]): [string, string][] {
  const { stdout, stderr } = spawnSync(file, [argument], { encoding: 'utf8' });
  const version = pattern.exec(`${stdout ?? ''}${stderr ?? ''}`)?.[1];
  return version === undefined ? [] : [[name, version]];
}

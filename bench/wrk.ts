import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Load {
  readonly url: string;
  readonly token: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** One thread that keeps its connections open and busy. An answer other than 2xx or a socket error spoils the run. */
export async function wrk({ url, token, seconds, connections }: Load): Promise<Measured> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-H', `Authorization: Bearer ${token}`, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const fault = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (fault !== null) throw new Error(`${url}: ${fault[0]}`);
  return {
    requests: Number(find(stdout, /(\d+) requests in/)),
    perSecond: Number(find(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(find(stdout, /^\s+50%\s+(\S+)/m)),
    p99: milliseconds(find(stdout, /^\s+99%\s+(\S+)/m)),
  };
}

function find(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`wrk printed no ${pattern}: ${text}`);
  return found;
}

const factors: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

function milliseconds(text: string): number {
  const [, value = '', unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(value) * (factors[unit] ?? Number.NaN);
}

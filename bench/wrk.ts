import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Load {
  readonly url: string;
  /** Bearer token; absent if the script sends the credential. */
  readonly token?: string;
  /** Whole header lines. */
  readonly headers?: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Lua file that makes the requests, and its argument. */
  readonly script?: readonly [file: string, argument: string];
  /** The command that runs wrk, if it is more than its name. */
  readonly prefix?: readonly string[];
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Prints what wrk itself does not print, after the script that makes the requests. */
const around = fileURLToPath(new URL('around.lua', import.meta.url));

/** The message of a script whose requests count once each, if it had too few of them. */
const RAN_OUT = 'requests ran out';

/** The end of a script whose `request` returns each of its `items` once. */
export const tellWhenRanOut = `
local asked = 0
local take = request
function request()
  asked = asked + 1
  if asked > #items then ran_out = true end
  return take()
end
local threads = {}
function setup(thread) threads[#threads + 1] = thread end
function done()
  for _, thread in ipairs(threads) do
    if thread:get("ran_out") then print("${RAN_OUT}") end
  end
end
`;

/**
 * After this time, wrk counts an answer as missing. The default of 2 s is too short while 1,000 connections open: Node.js
 * accepts one connection in each turn of its event loop, and a turn serves all connections before.
 */
const PATIENCE = '10s';

/**
 * One thread that keeps its connections open and busy. An answer other than 2xx or a socket error makes the run
 * invalid.
 */
export async function wrk({
  url,
  token,
  headers = [],
  seconds,
  connections,
  script,
  prefix = ['wrk'],
}: Load): Promise<Measured> {
  const [file, argument] = script ?? [];
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', PATIENCE];
  if (token !== undefined) args.push('-H', `Authorization: Bearer ${token}`);
  for (const line of headers) args.push('-H', line);
  args.push('-s', around, url, ...(argument === undefined ? [] : ['--', argument]));
  const [program = 'wrk', ...parameters] = prefix;
  const env = { ...process.env, BENCH_SCRIPT: file ?? '' };
  const { stdout } = await promisify(execFile)(program, [...parameters, ...args], { env });
  if (stdout.includes(RAN_OUT)) throw new Error(`${url}: ${RAN_OUT} before the time was over`);
  const fault = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (fault !== null) throw new Error(`${url}: ${fault[0]}`);
  if (/^\s*0 requests in/m.test(stdout)) throw new Error(`${url}: no request was answered`);
  return {
    requests: Number(find(stdout, /(\d+) requests in/)),
    perSecond: Number(find(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(find(stdout, /^\s+50%\s+(\S+)/m)),
    p99: milliseconds(find(stdout, /^\s+99%\s+(\S+)/m)),
    p999: Number(find(stdout, /99\.9%: ([\d.]+) us/)) / 1000,
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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generator } from '../generator.ts';
import { inTurnScript, onceScript } from '../once-script.ts';
import { wrk } from '../wrk.ts';
import type { Mint } from './tokens.ts';
import type { Contestant } from './turns.ts';

export interface Target {
  readonly url: string;
  readonly connections: number;
  /** For files. */
  readonly folder: string;
}

export interface SameRequest {
  /** Bearer. */
  readonly token?: string;
  readonly method?: 'GET' | 'POST';
  readonly type?: string;
  /** Lua. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Prepare = Contestant['prepare'];

/** The same request repeatedly. */
export function same(
  { url, connections, folder }: Target,
  { token, method = 'GET', type, body, headers = {} }: SameRequest,
): Prepare {
  return async (seconds) => {
    const script = join(folder, 'same.lua');
    const lines = [
      `wrk.method = "${method}"`,
      ...(token === undefined ? [] : [`wrk.headers["Authorization"] = "Bearer ${token}"`]),
      ...(type === undefined ? [] : [`wrk.headers["Content-Type"] = "${type}"`]),
      ...(body === undefined ? [] : [`wrk.body = ${body}`]),
      ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
    ];
    writeFileSync(script, `${lines.join('\n')}\n`);
    return () => wrk({ url, seconds, connections, script: [script, ''], prefix: generator });
  };
}

/** Requests that differ from the one before, and repeat after that many. */
const VARIATIONS = 1000;

/** What differs in each request. Lua: the path and the fields of request number `i`. */
const variations = {
  field: { path: 'nil', more: ', ["X-Count"] = string.format("%08d", i)' },
  path: { path: 'wrk.path .. "/" .. string.format("%08d", i)', more: '' },
} as const;

export type Variation = keyof typeof variations;

/** The same request, except for one thing that differs each time. */
export function varied({ url, connections, folder }: Target, token: string, variation: Variation): Prepare {
  const { path, more } = variations[variation];
  return async (seconds) => {
    const script = join(folder, `varied-${variation}.lua`);
    const item = `wrk.format("GET", ${path}, { Authorization = "Bearer ${token}"${more} })`;
    writeFileSync(script, inTurnScript(`for i = 1, ${VARIATIONS} do items[i] = ${item} end`));
    return () => wrk({ url, seconds, connections, script: [script, ''], prefix: generator });
  };
}

/** Each value of `Authorization` once. A turn gets as many as its seconds times `perSecond`. */
export function once(
  { url, connections, folder }: Target,
  perSecond: number,
  headers: (count: number) => readonly string[] | Promise<readonly string[]>,
): Prepare {
  return async (seconds) => {
    const file = join(folder, 'headers');
    writeFileSync(file, `${(await headers(perSecond * seconds)).join('\n')}\n`);
    const script = [onceScript(folder), file] as const;
    return () => wrk({ url, seconds, connections, script, prefix: generator });
  };
}

/** Tokens that were never sent before, in each turn. `perSecond`: more than any program answers. */
export function neverSeen(target: Target, mint: Mint, perSecond: number): Prepare {
  let next = 1;
  return once(target, perSecond, (count) => {
    const headers = Array.from({ length: count }, (_, index) => `Bearer ${mint(next + index)}`);
    next += count;
    return headers;
  });
}

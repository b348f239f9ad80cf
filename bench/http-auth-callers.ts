import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBasic } from '../src/http-auth/basic.ts';
import { digestHeaders } from './digest-headers.ts';
import { generator } from './generator.ts';
import { alice, type HttpAuthPlace, stranger } from './http-auth-place.ts';
import { onceScript } from './once-script.ts';
import { type Measured, wrk } from './wrk.ts';

export interface CallerTurn {
  readonly place: HttpAuthPlace;
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second that this caller got answered so far; 0 at first. */
  readonly seen: number;
}

/** One kind of credential. It prepares what it sends, and returns the load itself, which alone is measured. */
export interface Caller {
  readonly name: string;
  /**
   * Connections at most. A first password takes tens of milliseconds, and the gateway hashes only a few for one
   * address.
   */
  readonly most?: number;
  prepare(turn: CallerTurn): Promise<() => Promise<Measured>>;
}

/** The other callers are measured beside it. */
export const YARDSTICK = 'open route';

export function callers(): readonly Caller[] {
  return [
    { name: YARDSTICK, prepare: (turn) => withHeader(turn, '/open/1', undefined) },
    { name: 'JWT HS256, cached', prepare: (turn) => withHeader(turn, '/jwt/1', `Bearer ${turn.place.token}`) },
    {
      name: 'Basic, remembered',
      prepare: (turn) => withHeader(turn, '/basic/1', formatBasic(alice.name, alice.password)),
    },
    { name: 'Digest SHA-256', prepare: (turn) => digest(turn, 'SHA-256') },
    { name: 'Digest MD5', prepare: (turn) => digest(turn, 'MD5') },
    { name: 'Basic, first time', most: 8, prepare: strangers() },
  ];
}

/** The same header with each request. */
async function withHeader(
  { place, seconds, connections }: CallerTurn,
  path: string,
  authorization: string | undefined,
) {
  const url = place.url + path;
  const script = join(place.folder, 'header.lua');
  const line = authorization === undefined ? '' : `wrk.headers["Authorization"] = "${authorization}"\n`;
  return () => {
    writeFileSync(script, line);
    return wrk({ url, seconds, connections, script: [script, ''], prefix: generator });
  };
}

/** Each header once. */
function once({ place, seconds, connections }: CallerTurn, path: string, headers: readonly string[]) {
  const file = join(place.folder, 'headers');
  writeFileSync(file, `${headers.join('\n')}\n`);
  return () =>
    wrk({ url: place.url + path, seconds, connections, script: [onceScript(place.folder), file], prefix: generator });
}

/** Unknown users that any run needs, including the warm-up. */
export function strangersFor({ rounds, seconds }: { readonly rounds: number; readonly seconds: number }): number {
  return (rounds * seconds + Math.max(seconds, 2)) * STRANGERS;
}

/** A second: more than two threads can hash passwords for. */
const STRANGERS = 100;

/** Each turn has its own users. */
function strangers(): Caller['prepare'] {
  let next = 0;
  return async (turn) => {
    const count = turn.seconds * STRANGERS;
    const headers = Array.from({ length: count }, (_, index) => formatBasic(stranger(next + index), alice.password));
    next += count;
    return once(turn, '/basic/1', headers);
  };
}

/** A second, before the real rate is known. */
const ENOUGH = 40_000;

async function digest(turn: CallerTurn, algorithm: 'SHA-256' | 'MD5') {
  const count = Math.ceil((1.6 * turn.seen || ENOUGH) * turn.seconds);
  return once(turn, '/digest/1', await digestHeaders({ origin: turn.place.url, uri: '/digest/1', algorithm, count }));
}

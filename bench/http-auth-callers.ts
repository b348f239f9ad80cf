import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBasic } from '../src/http-auth/basic.ts';
import { formatDigest, type Protection } from '../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../src/http-auth/digest-response.ts';
import { parseParameters } from '../src/http-auth/parameters.ts';
import { splitCredentials } from '../src/http-auth/scheme.ts';
import { pinned } from './cores.ts';
import { alice, type HttpAuthPlace, REALM, stranger } from './http-auth-place.ts';
import { type Measured, tellWhenRanOut, wrk } from './wrk.ts';

export interface CallerTurn {
  readonly place: HttpAuthPlace;
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second that this caller was seen to have answered; 0 at first. */
  readonly seen: number;
}

/** One way to say who asks. It prepares what it sends, and answers with the load itself, which alone is measured. */
export interface Caller {
  readonly name: string;
  /** Connections at most: a first password takes tens of milliseconds, and of one address only a few are hashed. */
  readonly most?: number;
  prepare(turn: CallerTurn): Promise<() => Promise<Measured>>;
}

/** The others are measured beside it. */
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

const { file: program, args: parameters } = pinned({ file: 'wrk', args: [], ports: [] }, 'load');
const prefix = [program, ...parameters];

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
    return wrk({ url, seconds, connections, script: [script, ''], prefix });
  };
}

/** Each header once. */
function once({ place, seconds, connections }: CallerTurn, path: string, headers: readonly string[]) {
  const script = join(place.folder, 'once.lua');
  const file = join(place.folder, 'headers');
  writeFileSync(script, onceScript);
  writeFileSync(file, `${headers.join('\n')}\n`);
  return () => wrk({ url: place.url + path, seconds, connections, script: [script, file], prefix });
}

/** What is sent is made before the load begins. */
const onceScript = `
local items, at = {}, 0
function init(args)
  for line in io.lines(args[1]) do items[#items + 1] = wrk.format("GET", nil, { Authorization = line }) end
end
function request()
  at = at % #items + 1
  return items[at]
end
${tellWhenRanOut}
`;

/** Strangers that any run needs, with the warm-up. */
export function strangersFor({ rounds, seconds }: { readonly rounds: number; readonly seconds: number }): number {
  return (rounds + 1) * seconds * STRANGERS;
}

/** A second: more than two threads can hash passwords for. */
const STRANGERS = 100;

/** Every turn has users of its own. */
function strangers(): Caller['prepare'] {
  let next = 0;
  return async (turn) => {
    const count = turn.seconds * STRANGERS;
    const headers = Array.from({ length: count }, (_, index) => formatBasic(stranger(next + index), alice.password));
    next += count;
    return once(turn, '/basic/1', headers);
  };
}

/** Clients. Their counts must arrive in order, so a client's next request is many others later. */
const NONCES = 500;
/** A second, before it is known how many are answered. */
const ENOUGH = 40_000;

/** So many clients take turns, each with its own nonce and its own count, as RFC 7616 §3.4.5 has it. */
async function digest(turn: CallerTurn, algorithm: 'SHA-256' | 'MD5') {
  const uri = '/digest/1';
  const challenges: Challenge[] = [];
  for (let index = 0; index < NONCES; index++) challenges.push(await challengeOf(turn.place.url + uri));
  const ha1 = storedHash(algorithm, alice.name, REALM, alice.password);
  const count = Math.ceil((1.6 * turn.seen || ENOUGH) * turn.seconds);
  const headers = Array.from({ length: count }, (_, index) => {
    const { nonce = '', opaque } = challenges[index % NONCES] ?? {};
    const nc = (Math.floor(index / NONCES) + 1).toString(16).padStart(8, '0');
    const protection: Protection = { qop: 'auth', nc };
    const said = { algorithm, nonce, cnonce: 'OWM4NDE2ZWVkZjE4NTQ3NQ==', protection, uri };
    const response = digestResponse({ ...said, ha1, method: 'GET' });
    return formatDigest({ ...said, username: alice.name, userhash: false, realm: REALM, response, opaque });
  });
  return once(turn, uri, headers);
}

interface Challenge {
  readonly nonce: string;
  readonly opaque: string | undefined;
}

async function challengeOf(url: string): Promise<Challenge> {
  const response = await fetch(url);
  await response.arrayBuffer();
  const [line = ''] = (response.headers.get('www-authenticate') ?? '').split(/, (?=Digest )/);
  const parsed = parseParameters(splitCredentials(line)?.rest ?? '');
  const nonce = parsed.kind === 'parameters' ? parsed.values.get('nonce') : undefined;
  if (parsed.kind !== 'parameters' || nonce === undefined) throw new Error(`${url}: no challenge of Digest`);
  return { nonce, opaque: parsed.values.get('opaque') };
}

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServiceContender } from './authorization-place.ts';
import { pinned } from './cores.ts';
import { basic, type ClientName, forms } from './grants.ts';
import { type Measured, tellWhenRanOut, wrk } from './wrk.ts';

export interface Turn {
  readonly contender: ServiceContender;
  readonly seconds: number;
  readonly connections: number;
  /** For files. */
  readonly folder: string;
  /** Requests a second that this contender reached so far; undefined at first. */
  readonly seen: number | undefined;
}

/** One kind of request to a service. It prepares, and returns the load itself, which alone is measured. */
export interface Workload {
  readonly name: string;
  prepare(turn: Turn): Promise<() => Promise<Measured>>;
}

export const workloads: readonly Workload[] = [
  { name: 'client credentials', prepare: clientCredentials },
  { name: 'introspection', prepare: introspection },
  { name: 'refresh', prepare: refresh },
  { name: 'code exchange', prepare: codeExchange },
];

/** Different ones, each active. */
const TOKENS = 1000;

async function clientCredentials(turn: Turn) {
  const { token: url } = turn.contender.endpoints;
  const body = forms.clientCredentials();
  // The first request to a new JVM takes seconds.
  await ask(url, 'shop', body);
  return byWrk(turn, { url, client: 'shop', bodies: [body] });
}

async function introspection(turn: Turn) {
  const { token, introspect } = turn.contender.endpoints;
  const asked = Array.from({ length: TOKENS }, forms.clientCredentials);
  const answers = await askAll(token, 'shop', asked);
  const bodies = answers.map(({ access_token }) => forms.introspection(access_token));
  await requireActive(introspect, bodies[0] as string);
  return byWrk(turn, { url: introspect, client: 'gateway', bodies });
}

/** A token that is not active also gets 200, and faster. */
async function requireActive(url: string, body: string): Promise<void> {
  const { active } = (await ask(url, 'gateway', body)) as { active?: unknown };
  if (active !== true) throw new Error(`${url}: a token that was just issued is not active`);
}

const loader = fileURLToPath(new URL('refresh-load.ts', import.meta.url));

/** wrk sends requests that are known in advance. Here each request sends what the last answer contained. */
async function refresh({ contender, seconds, connections, folder }: Turn) {
  const { token } = contender.endpoints;
  const codes = await contender.codes(connections);
  const answers = await askAll(token, 'web', codes.map(forms.code));
  const file = join(folder, 'refresh.json');
  const tokens = answers.map(({ refresh_token }) => refresh_token);
  writeFileSync(file, JSON.stringify({ url: token, seconds, tokens }));
  const { file: program, args } = pinned({ file: process.execPath, args: [loader, file], ports: [] }, 'load');
  return async () => {
    const { stdout } = await promisify(execFile)(program, [...args]);
    return JSON.parse(stdout) as Measured;
  };
}

/**
 * Prepares codes for more requests a second than any contender reached, and for twice the rate that was seen. So each
 * code is sent only once, even after a warm-up that something else delayed.
 */
const ENOUGH = 8000;

async function codeExchange(turn: Turn) {
  const { exchanged = ENOUGH } = turn.contender;
  const count = Math.max(exchanged, 2 * (turn.seen ?? 0)) * turn.seconds;
  const codes = await turn.contender.codes(Math.ceil(count));
  return byWrk(turn, {
    url: turn.contender.endpoints.token,
    client: 'web',
    bodies: codes.map(forms.code),
    isOnce: true,
  });
}

interface Asked {
  readonly url: string;
  readonly client: ClientName;
  readonly bodies: readonly string[];
  /** Each code works only once. */
  readonly isOnce?: boolean;
}

/** One body after the other, then again from the first. */
function byWrk(
  { seconds, connections, folder }: Turn,
  { url, client, bodies, isOnce = false }: Asked,
): () => Promise<Measured> {
  const script = join(folder, 'post.lua');
  const file = join(folder, 'bodies');
  writeFileSync(script, postScript(client) + (isOnce ? tellWhenRanOut : ''));
  writeFileSync(file, `${bodies.join('\n')}\n`);
  return () => wrk({ url, seconds, connections, script: [script, file], prefix: pinnedWrk });
}

const { file: program, args: parameters } = pinned({ file: 'wrk', args: [], ports: [] }, 'load');
const pinnedWrk = [program, ...parameters];

function postScript(client: ClientName): string {
  return `
local items, at = {}, 0
wrk.method = "POST"
wrk.headers["Authorization"] = "${basic(client)}"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
function init(args)
  for line in io.lines(args[1]) do items[#items + 1] = line end
end
function request()
  at = at % #items + 1
  return wrk.format(nil, nil, nil, items[at])
end
`;
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
}

const AT_ONCE = 64;

async function askAll(url: string, client: ClientName, bodies: readonly string[]): Promise<TokenAnswer[]> {
  const answers: TokenAnswer[] = [];
  for (let from = 0; from < bodies.length; from += AT_ONCE) {
    const some = bodies.slice(from, from + AT_ONCE);
    answers.push(...((await Promise.all(some.map((body) => ask(url, client, body)))) as TokenAnswer[]));
  }
  return answers;
}

async function ask(url: string, client: ClientName, body: string): Promise<unknown> {
  const headers = { authorization: basic(client), 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

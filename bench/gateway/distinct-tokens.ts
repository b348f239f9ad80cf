import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { generator } from '../generator.ts';
import { headersInTurn } from '../once-script.ts';
import { wrk } from '../wrk.ts';
import { cpuRatio, loadColumns, type Part, type PartBench } from './part.ts';
import type { Place } from './place.ts';
import type { Target } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { opaqueToken } from './tokens.ts';
import { type Contestant, runTurns } from './turns.ts';

const MANY = 100_000;
const COUNTS = [1, MANY] as const;

/** Which tokens, and the route that accepts them. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly token: (place: Place, number: number) => string;
}

const JWT = 'JWT ES256';
const kinds: readonly Kind[] = [
  { name: JWT, path: '/es/1', token: ({ mint }, number) => mint.ES256(number) },
  { name: 'opaque', path: '/opaque/1', token: (_place, number) => opaqueToken(number) },
];

export const distinctTokens: Part = {
  name: 'tokens',
  about: `Each row names a number of tokens. Each small GET uses the next token, and all tokens are cached (cache.size: ${2 * MANY} for each server).`,
  columns: loadColumns,
  beside: [{ title: '÷ 1 token', to: (name) => name.replace(/\d+ cached$/, '1 cached') }],
  bars: () => [
    {
      title: `${MANY} distinct cached tokens ÷ 1`,
      value: cpuRatio(nameOf(JWT, MANY), nameOf(JWT, 1)),
      bar: 1.15,
      goal: 1.05,
    },
  ],
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

function nameOf(kind: string, count: number): string {
  return `${kind}, ${count} cached`;
}

/** A separate gateway for each count, because the number of tokens in its cache must not be the same. */
async function contestants({ place, start }: Stage, { engine, connections, say }: PartBench): Promise<Contestant[]> {
  const all: Contestant[] = [];
  for (const [index, count] of COUNTS.entries()) {
    const port = place.morePorts[index] ?? 0;
    const pid = await start(place.gateway(engine, { port, remembered: 2 * MANY }));
    for (const kind of kinds) {
      const name = nameOf(kind.name, count);
      const headers = Array.from({ length: count }, (_, number) => `Bearer ${kind.token(place, number)}`);
      const origin = `http://127.0.0.1:${port}`;
      say(`${name}: each for the first time`);
      await remember(origin, kind.path, headers);
      const target = { url: origin + kind.path, connections, folder: place.folder };
      all.push({ name, pid, prepare: inTurn(target, headers) });
    }
  }
  return all;
}

const AT_ONCE = 32;

/** Sends each token once. */
async function remember(origin: string, path: string, headers: readonly string[]): Promise<void> {
  const pool = new Pool(origin, { connections: AT_ONCE });
  const left = headers.values();
  const send = async () => {
    for (const authorization of left) {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { authorization } });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${origin}${path}: ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  await pool.close();
}

/** The generator has as many requests for one token as for all, so that it costs the same in both cases. */
function inTurn({ url, connections, folder }: Target, headers: readonly string[]): Contestant['prepare'] {
  return async (seconds) => {
    const [script, file] = [join(folder, 'in-turn.lua'), join(folder, 'in-turn')];
    writeFileSync(script, headersInTurn);
    writeFileSync(file, Array.from({ length: MANY }, (_, index) => `${headers[index % headers.length]}\n`).join(''));
    return () => wrk({ url, seconds, connections, script: [script, file], prefix: generator });
  };
}

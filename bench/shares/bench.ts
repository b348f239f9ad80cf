import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { storedHash } from '../../src/http-auth/digest-response.ts';
import { start, stop } from '../children.ts';
import { type Ratio, spread, spreadInWords } from '../gateway/ratio.ts';
import { audience, buildMint, secret } from '../gateway/tokens.ts';
import { inTurn } from '../in-turn.ts';
import { freePorts } from '../route-place.ts';
import { attacks } from './attacks.ts';
import { type Others, others } from './others.ts';

export interface SharesBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (message: string) => void;
}

interface Turn extends Others {
  readonly attack: string;
  readonly round: number;
}

export interface SharesReport {
  readonly turns: readonly Turn[];
}

const launcher = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const ISSUER = 'https://issuer.example.com';
/** Milliseconds until an attack holds all that it can get, and until nothing of it is left. */
const SETTLING = 1_000;

const upstreamProgram = `
  require('node:http').createServer((request, response) => {
    request.resume().on('error', () => {});
    request.on('end', () => setTimeout(() => response.end('ok'), request.url.endsWith('slow') ? 50 : 2));
  }).listen(Number(process.argv[1]), '127.0.0.1');
`;

/**
 * How other addresses fare while one address attacks. Turns are interleaved, so that each is compared with a calm one
 * of its round.
 */
export async function benchShares({ rounds, seconds, say }: SharesBench): Promise<SharesReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [port = 0, upstream = 0] = await freePorts(2);
  writeFileSync(join(folder, 'users'), `alice:bench:${storedHash('SHA-256', 'alice', 'bench', 'x')}\n`, {
    mode: 0o600,
  });
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, gatewayYaml(port, upstream), { mode: 0o600 });
  const node = process.execPath;
  const behind = await start({ file: node, args: ['-e', upstreamProgram, String(upstream)], ports: [upstream] });
  const gateway = await start({ file: node, args: [launcher, 'gateway', '--config', config], ports: [port] });
  const form = `access_token=${buildMint({ HS256: ISSUER, ES256: ISSUER, RS256: 'https://rs.example.com' }).mint.HS256(1)}`;
  const turns: Turn[] = [];
  try {
    await others(port, 1, form);
    for (let round = 1; round <= rounds; round++) {
      for (const { name, begin } of inTurn(attacks, round)) {
        const end = await begin(port);
        await pause(SETTLING);
        const told = await others(port, seconds, form);
        end();
        await pause(SETTLING);
        say(`round ${round}: ${name}: p50 ${told.p50.toFixed(2)} ms, ${told.refused} of ${told.requests} refused`);
        turns.push({ attack: name, round, ...told });
      }
    }
  } finally {
    await Promise.all([stop(gateway), stop(behind)]);
    rmSync(folder, { recursive: true, force: true });
  }
  return { turns };
}

function gatewayYaml(port: number, upstream: number): string {
  return `version: 1
listen: 127.0.0.1:${port}
log: { level: error, format: json }
authorization_servers:
  hs: { issuer: "${ISSUER}", audience: "${audience}", algorithms: [HS256], secret: "${secret.text}" }
upstreams:
  api: { url: "http://127.0.0.1:${upstream}" }
defaults: { upstream: api }
routes:
  - { id: public, match: { path: "/public/{rest*}" }, access: public }
  - { id: form, match: { path: /form }, scope: orders.read, bearer_methods_supported: [header, body] }
  - id: meters
    match: { path: "/m/{rest*}" }
    auth: digest
    digest: { realm: bench, users: users, algorithms: [SHA-256], qop: [auth, auth-int], auth_int: { max_body: 1MiB } }
    access: authenticated
`;
}

export function sharesTable({ turns }: SharesReport): string {
  const rows = attacks.map(({ name }) => {
    const own = turns.filter(({ attack }) => attack === name);
    const sum = (read: (turn: Turn) => number) => own.reduce((all, turn) => all + read(turn), 0);
    const refused = `${sum(({ refused }) => refused)} of ${sum(({ requests }) => requests)}`;
    const p50 = spreadInWords(spread(own.map((turn) => turn.p50)));
    return `| ${name} | ${p50} | ${spreadInWords(toCalm(turns, own))} | ${refused} |`;
  });
  return ['| one address | p50 of others, ms | ÷ no attack | others refused |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** For the turns of one round. */
function toCalm(turns: readonly Turn[], own: readonly Turn[]): Ratio | undefined {
  const calm = new Map(turns.filter(({ attack }) => attack === attacks[0]?.name).map((turn) => [turn.round, turn.p50]));
  return spread(own.map(({ round, p50 }) => p50 / (calm.get(round) ?? Number.NaN)));
}

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { systemClock } from '../src/base/clock.ts';
import { sha256 } from '../src/base/secret.ts';
import { buildSign, makeSigningKey } from '../src/jwt/sign.ts';
import { openRecords } from '../src/storage/open.ts';
import type { CodeRecord, Records, SessionRecord } from '../src/storage/records/records.ts';
import { authorizationYaml, encryptionKey } from './authorization-config.ts';
import { cpuTime, start, stop } from './children.ts';
import { makeCode } from './codes.ts';
import { pinned } from './cores.ts';
import { folderOn } from './disk.ts';
import { forms, redirectUri, subject } from './grants.ts';
import { inTurn } from './in-turn.ts';
import { aligned, median } from './report.ts';
import { freePorts } from './route-place.ts';

/** A client, and what it gets with a code. */
const contenders = [
  { name: 'no ID token', id: 'plain', scope: 'orders.read', alg: 'RS256' },
  { name: 'ES256', id: 'es256', scope: 'openid orders.read', alg: 'ES256' },
  { name: 'RS256', id: 'rs256', scope: 'openid orders.read', alg: 'RS256' },
] as const;
type Contender = (typeof contenders)[number];

const SECRET = 'cs_bench-secret-of-32-bytes-or-so';
const CONNECTIONS = 16;
/** Codes of a contender in each round, and signatures. */
const REQUESTS = 1000;

export interface IdTokenRun {
  readonly name: string;
  readonly round: number;
  /** Microseconds of CPU for an exchange, or for a signature. */
  readonly cpu: number;
}

export interface IdTokenReport {
  readonly runs: readonly IdTokenRun[];
  readonly load: readonly [before: number, after: number];
}

interface Running {
  readonly service: ChildProcess;
  readonly records: Records;
  readonly pool: Pool;
}

/** The name of the row with the cost of one RS256 signature by itself. */
const SIGNATURE = 'one RS256 signature';

/** The exchange of a code without an ID token, and with one. All clients are at one service, with SQLite. */
export async function benchIdTokens({
  rounds,
  say,
}: {
  rounds: number;
  say: (message: string) => void;
}): Promise<IdTokenReport> {
  const before = loadavg()[0] as number;
  const folder = folderOn('tmpfs') ?? folderOn('disk');
  if (folder === undefined) throw new Error('there is no folder for the database');
  const running = await run(folder);
  const sign = buildSign({ ...(await makeSigningKey('RS256')), alg: 'RS256' });
  const runs: IdTokenRun[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const contender of inTurn(contenders, round + 1)) {
        const cpu = await exchangeAll(running, contender);
        say(`${round === 0 ? 'warming up' : `round ${round}`}: ${contender.name}: ${cpu.toFixed(0)} µs`);
        if (round > 0) runs.push({ name: contender.name, round, cpu });
      }
      if (round > 0) runs.push({ name: SIGNATURE, round, cpu: await signAll(sign) });
    }
    return { runs, load: [before, loadavg()[0] as number] };
  } finally {
    await running.pool.close();
    await stop(running.service);
    await running.records.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(folder: string): Promise<Running> {
  const [port = 0] = await freePorts(1);
  const storage = `sqlite:${join(folder, 'gatehouse.db')}`;
  const clients = contenders.map(
    ({ id, scope, alg }) =>
      `  - { client_id: ${id}, client_secret: ${SECRET}, scope: ${scope}, grant_types: [authorization_code, refresh_token], redirect_uris: ['${redirectUri}'], id_token_signed_response_alg: ${alg} }`,
  );
  const file = join(folder, 'authorization.yaml');
  const yaml = authorizationYaml({ port, storage }).replace('\nusers:', `\n${clients.join('\n')}\nusers:`);
  writeFileSync(file, `${yaml}\nopenid: { enabled: true }\n`);
  const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));
  const args = [launcher, 'authorization', '--config', file];
  const service = await start(pinned({ file: process.execPath, args, ports: [port] }, 'contender'));
  const records = await openRecords(storage, {
    directory: folder,
    clock: systemClock,
    encryptionKeys: [encryptionKey],
  });
  return { service, records, pool: new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS }) };
}

async function exchangeAll({ service, records, pool }: Running, contender: Contender): Promise<number> {
  const codes: string[] = [];
  for (let count = 0; count < REQUESTS; count++) codes.push(await makeCode(records, await partsOf(records, contender)));
  const before = cpuTime(service.pid as number);
  const left = codes.values();
  const take = async () => {
    for (const code of left) await exchange(pool, contender, code);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, take));
  return (cpuTime(service.pid as number) - before) / REQUESTS;
}

async function exchange(pool: Pool, { id, scope }: Contender, code: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${id}:${SECRET}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await pool.request({ method: 'POST', path: '/oauth2/token', headers, body: forms.code(code) });
  const text = await answer.body.text();
  const isWhole = text.includes('"id_token"') === scope.includes('openid');
  if (answer.statusCode !== 200 || !isWhole) throw new Error(`/oauth2/token: ${answer.statusCode}: ${text}`);
}

/** The code's part that differs between the clients. Each login has a session of its own. */
async function partsOf(records: Records, { id, scope }: Contender): Promise<Partial<CodeRecord>> {
  if (!scope.includes('openid')) return { clientId: id, scope };
  const sessionId = randomBytes(16).toString('base64url');
  await records.saveSession(sessionOf(sessionId));
  return { clientId: id, scope, sessionId, openid: { nonce: 'a-nonce-of-a-client' } };
}

function sessionOf(id: string): SessionRecord {
  const now = Math.floor(Date.now() / 1000);
  return {
    hash: sha256(id),
    id,
    subject,
    username: subject,
    authenticatedAt: now,
    expiresAt: now + 12 * 3600,
    userAgent: undefined,
    address: undefined,
    seenAt: now,
  };
}

/** With the claims of an ID token, in this process, which does nothing else. */
async function signAll(sign: ReturnType<typeof buildSign>): Promise<number> {
  const claims = {
    iss: 'http://127.0.0.1:8081',
    sub: subject,
    aud: 'rs256',
    iat: 1,
    exp: 601,
    nonce: 'a-nonce-of-a-client',
  };
  const before = process.cpuUsage();
  for (let count = 0; count < REQUESTS; count++) await sign('JWT', { ...claims, count });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

export function idTokenTable({ runs, load }: IdTokenReport): string {
  const of = (name: string) => runs.filter((each) => each.name === name).map(({ cpu }) => cpu);
  const [plain, es256, rs256, signature] = ['no ID token', 'ES256', 'RS256', SIGNATURE].map(of) as number[][];
  const ratio = (over: readonly number[]) =>
    median(over.map((cpu, index) => cpu / (plain?.[index] ?? Number.NaN))).toFixed(2);
  const more = median((rs256 ?? []).map((cpu, index) => (cpu - (plain?.[index] ?? 0)) / (signature?.[index] ?? 1)));
  const row = (name: string, values: readonly number[] = [], ...rest: string[]) => [
    name,
    median(values).toFixed(0),
    ...rest,
  ];
  return [
    aligned([
      ['', 'CPU µs', '÷ no ID token', '(− no ID token) ÷ one RS256 signature'],
      row('no ID token', plain, '1.00', '-'),
      row('ES256', es256, ratio(es256 ?? []), '-'),
      row('RS256', rs256, ratio(rs256 ?? []), more.toFixed(2)),
      row(SIGNATURE, signature, '-', '-'),
    ]),
    `load average ${load.map((each) => each.toFixed(1)).join(' before, ')} after`,
  ].join('\n\n');
}

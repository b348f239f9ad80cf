import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { Pool } from 'undici';
import type { Records } from '../src/storage/records/records.ts';
import { cpuTime, start, stop } from './children.ts';
import { makeCodes } from './codes.ts';
import { basic, type ClientName, forms } from './grants.ts';
import { aligned, median } from './report.ts';
import { COUNTS, type KeyContender, type KeyRows, makeRows, prepareUserKeys, subjectOf } from './user-keys-place.ts';

export interface UserKeyBench {
  readonly rounds: number;
  readonly say: (message: string) => void;
}

const works = ['issue', 'first verification', 'introspection'] as const;

interface UserKeyRun {
  readonly engine: KeyContender['engine'];
  readonly users: number;
  readonly work: (typeof works)[number];
  readonly round: number;
  /** Microseconds a request, of the service and of the database. */
  readonly cpu: number;
  readonly databaseCpu: number;
  readonly perSecond: number;
}

export interface UserKeyReport {
  readonly runs: readonly UserKeyRun[];
  readonly sizes: readonly { readonly name: string; readonly bytes: number; readonly memory: number }[];
  readonly load: readonly [before: number, after: number];
  readonly absent: readonly string[];
}

interface Running {
  readonly contender: KeyContender;
  readonly service: ChildProcess;
  readonly database: ChildProcess | undefined;
  readonly records: Records;
  readonly pool: Pool;
  readonly bytes: number;
}

/** What a token for one of many users costs, compared with a token for one of a few, on the same path to the key. */
export async function benchUserKeys({ rounds, say }: UserKeyBench): Promise<UserKeyReport> {
  const before = loadavg()[0] as number;
  const place = await prepareUserKeys();
  const running: Running[] = [];
  try {
    const began = performance.now();
    const rows = await makeRows(Math.max(...COUNTS));
    say(`${rows.keys.length} key pairs made and sealed in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    for (const contender of place.contenders) {
      const some = { accounts: rows.accounts.slice(0, contender.users), keys: rows.keys.slice(0, contender.users) };
      running.push(await run(contender, () => seeded(contender, some, say)));
    }
    const runs: UserKeyRun[] = [];
    for (let round = 0; round <= rounds; round++) {
      for (const each of inTurn(running, round)) {
        const done = await measureAll(each, round);
        if (round > 0) runs.push(...done);
        for (const { engine, users, work, cpu } of done)
          say(
            `${round === 0 ? 'warming up' : `round ${round}`}: ${engine}, ${users} users, ${work}: ${cpu.toFixed(0)} µs`,
          );
      }
    }
    const sizes = running.map(({ contender, service, bytes }) => ({
      name: `${contender.engine}, ${contender.users} users`,
      bytes,
      memory: memoryOf(service),
    }));
    return { runs, sizes, load: [before, loadavg()[0] as number], absent: place.absent };
  } finally {
    for (const each of running) await end(each);
    place.remove();
  }
}

async function seeded(contender: KeyContender, rows: KeyRows, say: UserKeyBench['say']): Promise<number> {
  const began = performance.now();
  const bytes = await contender.seed(rows);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${contender.engine}: ${contender.users} users with keys written in ${seconds} s`);
  return bytes;
}

async function run(contender: KeyContender, seed: () => Promise<number>): Promise<Running> {
  const database = contender.database && (await start(contender.database));
  const bytes = await seed();
  const service = await start(contender.service);
  const pool = new Pool(contender.url, { connections: CONNECTIONS });
  return { contender, service, database, bytes, records: await contender.open(), pool };
}

async function end({ service, database, records, pool }: Running): Promise<void> {
  await pool.close();
  await stop(service);
  await records.close();
  if (database !== undefined) await stop(database);
}

const CONNECTIONS = 16;
/** In each round. Users come one after the other, so none of the many users comes twice. */
const REQUESTS = 2000;

async function measureAll(running: Running, round: number): Promise<UserKeyRun[]> {
  const { records, contender } = running;
  let next = round * REQUESTS;
  const whose = () => subjectOf(next++ % contender.users);
  const codes = await makeCodes(records, REQUESTS, whose);
  const tokens: string[] = [];
  const issue = async (code: string) => {
    tokens.push((await post(running, '/oauth2/token', 'web', forms.code(code))).access_token);
  };
  return [
    await measure(running, { work: 'issue', round }, codes, issue),
    await measure(running, { work: 'first verification', round }, tokens, (token) => verify(running, token)),
    await measure(running, { work: 'introspection', round }, tokens, (token) => introspect(running, token)),
  ];
}

async function measure<Item>(
  { contender: { engine, users }, service, database }: Running,
  what: Pick<UserKeyRun, 'work' | 'round'>,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<UserKeyRun> {
  const spent = () => [service, database].map((child) => (child === undefined ? 0 : cpuTime(child.pid as number)));
  const [before, began] = [spent(), performance.now()];
  const left = items.values();
  const take = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, take));
  const seconds = (performance.now() - began) / 1000;
  const [cpu = 0, databaseCpu = 0] = spent().map((after, index) => (after - (before[index] ?? 0)) / items.length);
  return { engine, users, ...what, cpu, databaseCpu, perSecond: items.length / seconds };
}

async function post({ pool }: Running, path: string, client: ClientName, body: string) {
  const headers = { authorization: basic(client), 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await pool.request({ method: 'POST', path, headers, body });
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}: ${await answer.body.text()}`);
  return (await answer.body.json()) as { readonly access_token: string; readonly active?: boolean };
}

/** Like a gateway that sees the key for the first time. */
async function verify({ pool }: Running, token: string): Promise<void> {
  const path = `/oauth2/keys/${decodeProtectedHeader(token).kid}`;
  const answer = await pool.request({ method: 'GET', path });
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
  const { keys } = (await answer.body.json()) as { keys: [Parameters<typeof importJWK>[0]] };
  await jwtVerify(token, await importJWK(keys[0], 'ES256'));
}

async function introspect(running: Running, token: string): Promise<void> {
  const { active } = await post(running, '/oauth2/introspect', 'gateway', forms.introspection(token));
  if (active !== true) throw new Error('a token that was just issued is not active');
}

function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Each round begins with a different one, so none has an advantage from being first or last. */
function inTurn<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

export function userKeyTable({ runs, sizes }: UserKeyReport): string {
  const engines = [...new Set(runs.map(({ engine }) => engine))];
  const rows = engines.flatMap((engine) =>
    works.flatMap((work) => {
      const alike = runs.filter((each) => each.engine === engine && each.work === work);
      return COUNTS.map((users) => [`${engine}, ${users} users, ${work}`, ...cells(alike, users)]);
    }),
  );
  const titles = ['', 'CPU µs/request', ...BESIDE.map((users) => `÷ ${users} users`), 'database µs', 'requests/s'];
  const sizeRows = sizes.map(({ name, bytes, memory }) => [name, bytes.toFixed(0), memory.toFixed(0)]);
  return `${aligned([titles, ...rows])}\n\n${aligned([['', 'bytes/key', 'MiB loaded'], ...sizeRows])}`;
}

/** Compared with cached keys, and with fewer keys that are not cached either. */
const BESIDE = [COUNTS[0], COUNTS[1]] as const;

function cells(runs: readonly UserKeyRun[], users: number): string[] {
  const own = runs.filter((each) => each.users === users);
  const middle = (key: 'cpu' | 'databaseCpu' | 'perSecond') => median(own.map((each) => each[key]));
  const ratios = BESIDE.map((few) =>
    ratio(
      own,
      runs.filter((each) => each.users === few),
    ),
  );
  const database = middle('databaseCpu');
  return [
    middle('cpu').toFixed(0),
    ...ratios,
    database > 0 ? database.toFixed(0) : '-',
    middle('perSecond').toFixed(0),
  ];
}

/** In the same round: median, and minimum–maximum. */
function ratio(own: readonly UserKeyRun[], others: readonly UserKeyRun[]): string {
  const each = own.map(({ round, cpu }) => cpu / (others.find((other) => other.round === round)?.cpu ?? Number.NaN));
  return `${median(each).toFixed(2)} (${Math.min(...each).toFixed(2)}–${Math.max(...each).toFixed(2)})`;
}

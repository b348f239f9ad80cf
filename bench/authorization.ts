import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { type Turn, type Workload, workloads } from './authorization-load.ts';
import { type AuthorizationPlace, prepareAuthorization, type ServiceContender } from './authorization-place.ts';
import { type AuthorizationReport, type AuthorizationRun, summarizeAuthorization } from './authorization-report.ts';
import { cpuTime, start, stop } from './children.ts';
import { cores } from './cores.ts';
import { type PlaceOfData, places, type SyncTime, syncTime } from './disk.ts';
import type { Measured } from './wrk.ts';

export interface AuthorizationBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

/** The service on each database, and oidc-provider, which forgets everything when it stops. */
export async function benchAuthorization(bench: AuthorizationBench): Promise<AuthorizationReport> {
  const before = loadavg()[0] as number;
  const place = await prepareAuthorization();
  const running: Running[] = [];
  try {
    const sync = Object.fromEntries(places.flatMap((name) => syncOf(place, name)));
    for (const line of place.absent) bench.say(`absent: ${line}`);
    for (const contender of place.contenders) running.push(await run(contender));
    const runs = await runLoad(running, place.folder, bench);
    const results = summarizeAuthorization(runs);
    return { results, runs, sync, cores, load: [before, loadavg()[0] as number], absent: place.absent };
  } finally {
    for (const each of running) await end(each);
    place.remove();
  }
}

function syncOf({ folders }: AuthorizationPlace, name: PlaceOfData): [PlaceOfData, SyncTime][] {
  const folder = folders[name];
  return folder === undefined ? [] : [[name, syncTime(folder)]];
}

interface Running {
  readonly contender: ServiceContender;
  readonly service: ChildProcess;
  readonly database: ChildProcess | undefined;
}

async function run(contender: ServiceContender): Promise<Running> {
  const database = contender.database && (await start(contender.database));
  return { contender, database, service: await start(contender.service) };
}

async function end({ contender, service, database }: Running): Promise<void> {
  await stop(service);
  await contender.close();
  if (database !== undefined) await stop(database);
}

/** Seconds, if the contender names no other time. */
const WARM_UP = 2;

async function runLoad(
  running: readonly Running[],
  folder: string,
  { rounds, seconds, connections, say }: AuthorizationBench,
): Promise<AuthorizationRun[]> {
  const runs: AuthorizationRun[] = [];
  const seen = new Map<string, number>();
  for (let round = 0; round <= rounds; round++) {
    for (const workload of workloads) {
      for (const each of inTurn(running, round)) {
        const key = `${workload.name} ${each.contender.name}`;
        const { warmUp = WARM_UP } = each.contender;
        const length = round === 0 ? warmUp : seconds;
        const turn = { contender: each.contender, seconds: length, connections, folder, seen: seen.get(key) };
        const measured = await measure(each, workload, turn).catch((cause: Error) => {
          throw new Error(`${key}: ${cause.message}`, { cause });
        });
        seen.set(key, Math.max(measured.perSecond, seen.get(key) ?? 0));
        say(
          `${round === 0 ? 'warming up' : `round ${round}`}: ${key}: ${measured.perSecond.toFixed(0)} requests a second`,
        );
        if (round > 0) runs.push({ name: each.contender.name, workload: workload.name, round, ...measured });
      }
    }
  }
  return runs;
}

type MeasuredRun = Measured & Pick<AuthorizationRun, 'cpu' | 'databaseCpu'>;

async function measure({ service, database }: Running, workload: Workload, turn: Turn): Promise<MeasuredRun> {
  const load = await workload.prepare(turn);
  const spent = () => [service, database].map((child) => (child === undefined ? 0 : cpuTime(child.pid as number)));
  const before = spent();
  const measured = await load();
  const [cpu = 0, databaseCpu = 0] = spent().map((after, index) => (after - (before[index] ?? 0)) / measured.requests);
  return { ...measured, cpu, databaseCpu };
}

/** Each round begins with a different contender, so no contender has an advantage from being first or last. */
function inTurn<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

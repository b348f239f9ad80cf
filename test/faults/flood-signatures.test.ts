import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { serving } from '../support/serving.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { isPaceTold, keepsPace } from './support/pace.ts';
import { type PacedLoad, paced } from './support/paced.ts';
import type { Paced, Plan } from './support/paced-program.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(180_000, 900_000, 3 * 3_600_000));

/** A second. */
const GOOD = 200;
const BAD = sized(300, 1_000, 1_000);
const ROUNDS = isPaceTold ? 1 : sized(3, 9, 31);
/** Milliseconds of a gateway's turn in a round. */
const TURN = sized(1_500, 4_000, 10_000);
const SETTLING = 200;
/** Linux counts CPU time in hundredths of a second. */
const TICK = 10;

/** Where signatures are verified: as the gateway does it, as it did earlier, and without a limit. */
const places = ['budget', 'threads', 'loop'] as const;
type Place = (typeof places)[number];

interface Flooded {
  readonly place: Place;
  readonly gateway: GatewayProcess;
  readonly good: PacedLoad;
  readonly flood: PacedLoad;
}

interface Turn {
  /** Milliseconds, of good requests. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of CPU time of the gateway, in all its threads. */
  readonly cpu: number;
  /** Bad tokens that got an answer. */
  readonly answered: number;
}

const program = fileURLToPath(new URL('support/signature-program.ts', import.meta.url));
const many = Array.from({ length: 64 }, (_, index) => `127.0.1.${index + 1}`);

/** The source of the bad tokens, and how they arrive. */
const floods: Readonly<Record<string, Pick<Plan, 'from' | 'every'>>> = {
  'one address': {},
  'many addresses, each tenth of a second at once': { from: many, every: 100 },
};

async function scene(t: Test, how: Pick<Plan, 'from' | 'every'>): Promise<readonly Flooded[]> {
  const upstream = await serving(t, quietUpstream());
  const { config: servers } = await authorizationServer(t, { changes: { verify: 'jwt' } });
  const routes = [{ id: 'orders', match: { path: '/orders/{rest*}' }, access: 'authenticated' }];
  const exp = Math.floor(Date.now() / 1000) + 4 * 3_600;
  const values = await Promise.all(Array.from({ length: 50 }, async () => `Bearer ${await jwt({ exp })}`));
  const forged = { jwt: await jwt({ exp }), opaque: '', only: 'signatures' } as const;
  const config = behind(upstream, {
    authorization_servers: { main: { ...servers.main, max_token_lifetime: '1d' } },
    routes,
  });
  return Promise.all(
    places.map(async (place) => {
      const gateway = await startProcess({
        config,
        env: { NODE_OPTIONS: `--import=${program}`, SIGNATURES: place },
        isChanged: true,
      });
      t.teardown(() => gateway.stop());
      const to = { port: gateway.port, target: '/orders/1', perSecond: 0 };
      const good = paced(t, { ...to, connections: 32, values });
      const flood = paced(t, { ...to, connections: 128, forged, ...how });
      return { place, gateway, good, flood };
    }),
  );
}

/** Both loads run for the time of a turn. The results during their start do not count. */
async function turnOf(t: Test, { gateway, good, flood }: Flooded): Promise<Turn> {
  await Promise.all([good.pace(GOOD), flood.pace(BAD)]);
  await pause(SETTLING);
  await Promise.all([good.told(), flood.told()]);
  const before = cpuTime(gateway.pid);
  await pause(TURN);
  const cpu = cpuTime(gateway.pid) - before;
  const [asked, bad] = await Promise.all([good.pace(0), flood.pace(0)]);
  t.ok(only(asked, '200'), `good requests: ${JSON.stringify(asked.statuses)}`);
  t.ok(only(bad, '401'), `bad tokens: ${JSON.stringify(bad.statuses)}`);
  await pause(SETTLING);
  return { p50: asked.p50, p99: asked.p99, cpu, answered: bad.statuses[401] ?? 0 };
}

function only({ statuses }: Paced, wanted: string): boolean {
  return Object.keys(statuses).every((status) => status === wanted);
}

/** Milliseconds, of all threads. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** The first round warms up all of them, and does not count. */
async function rounds(t: Test, scenes: readonly Flooded[]): Promise<Readonly<Record<Place, readonly Turn[]>>> {
  const turns: Record<Place, Turn[]> = { budget: [], threads: [], loop: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const first = round % scenes.length;
    for (const scene of [...scenes.slice(first), ...scenes.slice(0, first)]) {
      const turn = await turnOf(t, scene);
      if (round > 0) turns[scene.place].push(turn);
    }
  }
  return turns;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2;
}

/** The median of the ratios of turns of one round. */
function pace(turns: readonly Turn[], others: readonly Turn[], of: 'p50' | 'p99'): number {
  return median(turns.map((turn, round) => turn[of] / (others[round]?.[of] ?? Number.NaN)));
}

/** Milliseconds of CPU time for one bad token, including its share of everything else. */
function cost(turns: readonly Turn[]): number {
  const sum = (of: 'cpu' | 'answered') => turns.reduce((all, turn) => all + turn[of], 0);
  return sum('cpu') / sum('answered');
}

function figures(name: string, turns: readonly Turn[], threads: readonly Turn[]): string {
  const times = (['p50', 'p99'] as const).map((of) => {
    const took = median(turns.map((turn) => turn[of]));
    return `${of} ${took.toFixed(2)} ms (${pace(turns, threads, of).toFixed(2)} of threads)`;
  });
  const spent = `CPU ${cost(turns).toFixed(3)} ms (${(cost(turns) / cost(threads)).toFixed(2)} of threads)`;
  return `${name}: ${[...times, spent].join(', ')}`;
}

/** How many signatures were verified in each place. */
async function placesOf({ gateway }: Flooded): Promise<{ readonly loop: number; readonly threads: number }> {
  const said = () => /signatures on loop (\d+), on threads (\d+)/.exec(gateway.output());
  process.kill(gateway.pid, 'SIGUSR2');
  if (!(await until(() => said() !== null))) throw new Error('the gateway does not say where it verified');
  const [, loop, threads] = said() ?? [];
  return { loop: Number(loop), threads: Number(threads) };
}

for (const [name, how] of Object.entries(floods)) {
  t.test(`bad signatures from ${name} cost cached clients no more than on threads`, async (t) => {
    const scenes = await scene(t, how);
    const { budget, threads, loop } = await rounds(t, scenes);
    for (const [place, turns] of Object.entries({ budget, threads, loop })) t.comment(figures(place, turns, threads));
    for (const each of scenes) {
      const counted = await placesOf(each);
      t.comment(`${each.place}: ${counted.loop} on the event loop, ${counted.threads} on threads`);
      t.equal(counted.loop > 0, each.place !== 'threads', `${each.place}: ${counted.loop} on the event loop`);
      if (each.place !== 'budget' || how.every !== undefined)
        t.equal(counted.threads > 0, each.place !== 'loop', `${each.place}: ${counted.threads} on threads`);
    }
    const dearer = cost(budget) / cost(threads);
    t.ok(keepsPace(dearer, 1.1), `CPU of a bad token is ${dearer.toFixed(2)} of that on threads`);
    const slower = pace(budget, threads, 'p99');
    t.ok(keepsPace(slower, 1.25), `p99 of good requests is ${slower.toFixed(2)} of that on threads`);
    for (const { gateway } of scenes) t.strictSame(throws(gateway.output()), []);
  });
}

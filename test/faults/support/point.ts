import root, { type Test } from 'tap';
import { type Figures, inTime, judgeTime, type Lateness, lateness } from '../../support/lateness.ts';
import { until } from '../../support/until.ts';
import type { Fault, FaultProxy } from './fault-proxy.ts';
import { sized } from './size.ts';
import type { Told } from './tell.ts';

/** A running program, and what it depends on behind a fault proxy. */
export interface Scene {
  readonly proxy: Pick<FaultProxy, 'set' | 'mend' | 'cut'>;
  /** Each call uses a new credential or value, so that no cache helps. */
  good(): Promise<Told>;
  bad(): Promise<Told>;
  none(): Promise<Told>;
  /** A request that does not need the dependency. */
  other(): Promise<Told>;
  /** The management listener. */
  readonly adminUrl: string;
  /** Resolves when the fault has an effect. */
  feels?(fault: Fault): Promise<void>;
}

export interface Expected {
  /** The allowed answers to a good credential during the fault. */
  readonly good: readonly string[];
  /** `401` and similar by default: a bad credential is refused without the dependency. */
  readonly bad?: readonly string[];
  readonly none?: readonly string[];
  /** Minimum and maximum milliseconds until a good credential gets an answer. */
  readonly took?: readonly [least: number, most: number];
  readonly ready?: 200 | 503;
  /** An outage with Retry-After. */
  readonly retryAfter?: boolean;
  /** Milliseconds after the fault's end within which everything works as before. */
  readonly recovers?: number;
}

/** Faults by their names in titles. `slow` and `in pieces` must have no effect. */
export const faults = {
  refusing: { door: 'refuse' },
  resetting: { door: 'reset' },
  hanging_up: { door: 'end' },
  garbage: { door: 'garbage' },
  silent: { door: 'black hole' },
  unreachable: { door: 'never accept' },
  'half-open': { door: 'half-open' },
  slow: { answer: { delay: 150, jitter: 100 }, request: { delay: 50 } },
  'in pieces': { answer: { slice: 7, pause: 1 }, request: { slice: 11 } },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

const ROUNDS = sized(1, 3, 20);

/** For the slowest answer that needs no dependency, which has no configured limit. */
const UNAFFECTED = 1_500;
const UNBOUND = Number.POSITIVE_INFINITY;

/** One for all points of a file, which run at the same time. */
let bystander: Promise<Lateness> | undefined;
const late = () => (bystander ??= lateness(root));

export async function point(t: Test, scene: Scene, fault: Fault, expected: Expected): Promise<void> {
  await recovery(scene);
  await asBefore(t, scene, 'before');
  await put(scene.proxy, fault);
  await scene.feels?.(fault);
  for (let round = 0; round < ROUNDS; round++) await during(t, scene, expected);
  await readiness(t, scene, expected.ready ?? 200);
  await scene.proxy.mend();
  await recoversWithin(t, scene, expected.recovers ?? 2_000);
  await asBefore(t, scene, 'after');
  await readiness(t, scene, 200);
}

/** Behind a full queue no connection stays: open ones are cut, so that each request has to connect. */
export async function put(proxy: Scene['proxy'], fault: Fault): Promise<void> {
  await proxy.set(fault);
  if (fault.door === 'never accept') proxy.cut();
}

export async function asBefore(t: Test, scene: Scene, when: string): Promise<void> {
  const [good, bad, none, other] = await all(scene);
  t.match(good.said, /^2\d\d$/, `${when}: good`);
  t.match(bad.said, /^40[13]/, `${when}: bad`);
  t.match(none.said, /^40[13]/, `${when}: none`);
  t.match(other.said, /^2\d\d$/, `${when}: other`);
}

/** For a fault that began before the program. */
export async function during(t: Test, scene: Scene, expected: Expected): Promise<void> {
  const { between } = await late();
  const from = performance.now();
  const [good, bad, none, other, live] = await Promise.all([
    scene.good(),
    scene.bad(),
    scene.none(),
    scene.other(),
    fetch(`${scene.adminUrl}/livez`),
  ]);
  const { late: byOthers, longest } = await between(from, performance.now());
  const of = (told: Told): Figures => ({ took: told.took, late: byOthers, longest });
  judge(t, 'bad', bad, expected.bad);
  judge(t, 'none', none, expected.none);
  t.match(other.said, /^2\d\d$/, 'other');
  judgeTime(t, 'other', UNAFFECTED, of(other));
  t.equal(live.status, 200, 'live');
  t.ok(expected.good.includes(good.said), `good: ${good.said}, of ${expected.good.join(', ')}`);
  const [least, most] = expected.took ?? [0, UNBOUND];
  // A timer counts from the turn of the event loop in which it was set, which began slightly earlier.
  t.ok(good.took >= 0.98 * least, `good: not before ${least} ms, after ${good.took.toFixed(0)}`);
  (most === UNBOUND ? judgeTime : inTime)(t, `good: ${good.said}`, most, of(good));
  if (good.status < 500) return;
  t.equal(good.challenge, null, 'an outage challenges nobody');
  if (expected.retryAfter) t.match(good.retryAfter, /^[1-9]\d*$/, 'Retry-After');
}

function judge(t: Test, who: string, { said, status }: Told, wanted: readonly string[] | undefined): void {
  if (status >= 200 && status < 300) t.fail(`${who}: let through`);
  else if (wanted === undefined) t.match(said, /^40[13]/, who);
  else t.ok(wanted.includes(said), `${who}: ${said}`);
}

function all(scene: Scene): Promise<[Told, Told, Told, Told]> {
  return Promise.all([scene.good(), scene.bad(), scene.none(), scene.other()]);
}

/** Milliseconds in which readiness follows an outage. At the end of the outage it may need another connection. */
const FOLLOWS = 2_000;

async function readiness(t: Test, { adminUrl }: Scene, wanted: 200 | 503): Promise<void> {
  const { measure } = await late();
  const isWanted = async () => (await fetch(`${adminUrl}/readyz`)).status === wanted;
  const figures = await measure(async () => t.ok(await until(isWanted), `readiness: ${wanted}`));
  judgeTime(t, `readiness follows: ${wanted}`, wanted === 503 ? FOLLOWS : 2 * FOLLOWS, figures);
}

/** Resolves to whether a good credential passes again. No refusal ends by itself. */
export async function recovery(scene: Scene): Promise<boolean> {
  let told: Told | undefined;
  const isOver = async () => {
    told = await scene.good();
    return told.status < 300 || told.status === 401 || told.status === 403;
  };
  return (await until(isOver)) && told !== undefined && told.status < 300;
}

export async function recoversWithin(t: Test, scene: Scene, most: number): Promise<void> {
  const { measure } = await late();
  inTime(t, 'as before', most, await measure(async () => t.ok(await recovery(scene), 'it recovers')));
}

export type Rows = Readonly<Partial<Record<FaultName, Expected>>>;

/** The points of one dependency, each in a separate test with its own program. */
export function dependency(t: Test, name: string, open: (t: Test) => Promise<Scene>, rows: Rows): void {
  for (const [fault, expected] of Object.entries(rows) as [FaultName, Expected][]) {
    void t.test(`${name}: ${fault.replace('_', ' ')}`, async (t) => point(t, await open(t), faults[fault], expected));
  }
}

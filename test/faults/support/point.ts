import root, { type Test } from 'tap';
import { type Figures, inTime, judgeTime, type Lateness, lateness } from '../../support/lateness.ts';
import { until } from '../../support/until.ts';
import type { Fault, FaultProxy } from './fault-proxy.ts';
import { sized } from './size.ts';
import type { Told } from './tell.ts';

/** A program that runs, and what it depends on behind a proxy of faults. */
export interface Scene {
  readonly proxy: Pick<FaultProxy, 'set' | 'mend' | 'cut'>;
  /** Each asks anew: what is remembered of the one before does not serve it. */
  good(): Promise<Told>;
  bad(): Promise<Told>;
  none(): Promise<Told>;
  /** What does not need the dependency. */
  other(): Promise<Told>;
  /** The management listener. */
  readonly adminUrl: string;
  /** Resolves when the fault is felt. */
  feels?(fault: Fault): Promise<void>;
}

export interface Expected {
  /** What a good credential is told while the fault lasts, any of these. */
  readonly good: readonly string[];
  /** `401` and its like by default: a bad credential needs nobody to be refused. */
  readonly bad?: readonly string[];
  readonly none?: readonly string[];
  /** Milliseconds until a good credential is answered, at least and at most. */
  readonly took?: readonly [least: number, most: number];
  readonly ready?: 200 | 503;
  /** An outage that says when to come again. */
  readonly retryAfter?: boolean;
  /** Milliseconds after its end within which all is as before. */
  readonly recovers?: number;
}

/** Faults by their names in titles. `slow` and `in pieces` are none that anybody may notice. */
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

/** Of the slowest answer that needs no dependency: it is not a matter of their limits. */
const UNAFFECTED = 1_500;
const UNBOUND = Number.POSITIVE_INFINITY;

/** One for all points of a file, which run beside each other. */
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

/** Behind a full queue nothing stands for long: what did is cut, so that whoever asks has to connect. */
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

/** Of a fault that was there before the program was. */
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
  // A timer counts from the turn of the event loop in which it was set, which began a little before.
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

/** Milliseconds in which readiness follows an outage; to its end it may take a connection more. */
const FOLLOWS = 2_000;

async function readiness(t: Test, { adminUrl }: Scene, wanted: 200 | 503): Promise<void> {
  const { measure } = await late();
  const isWanted = async () => (await fetch(`${adminUrl}/readyz`)).status === wanted;
  const figures = await measure(async () => t.ok(await until(isWanted), `readiness: ${wanted}`));
  judgeTime(t, `readiness follows: ${wanted}`, wanted === 503 ? FOLLOWS : 2 * FOLLOWS, figures);
}

/** Resolves to whether a good credential passes again; no refusal ends by itself. */
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

/** The points of one dependency, each in a test of its own with a program of its own. */
export function dependency(t: Test, name: string, open: (t: Test) => Promise<Scene>, rows: Rows): void {
  for (const [fault, expected] of Object.entries(rows) as [FaultName, Expected][]) {
    void t.test(`${name}: ${fault.replace('_', ' ')}`, async (t) => point(t, await open(t), faults[fault], expected));
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Fault, FaultProxy } from './fault-proxy.ts';
import { holdsOnce, type Round } from './rounds.ts';
import { runningTime } from './running-time.ts';
import { sized } from './size.ts';

/** What a request came to. */
export interface Told {
  /** `200`, or the status and the code of a refusal or an outage: `503 authorization_server_unavailable`. */
  readonly said: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly challenge: string | null;
  /** Milliseconds until the answer was whole; and of these the ones in which this process ran. */
  readonly took: number;
  readonly ran: number;
}

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

/** Of the slowest answer that needs no dependency, whatever else the machine does: it is not a matter of their limits. */
const UNAFFECTED = 1_500;

export async function point(t: Test, scene: Scene, fault: Fault, expected: Expected): Promise<void> {
  await recovery(scene, 10_000);
  await asBefore(t, scene, 'before');
  await put(scene.proxy, fault);
  await scene.feels?.(fault);
  for (let round = 0; round < ROUNDS; round++) await during(t, scene, expected);
  await readiness(t, scene, expected.ready ?? 200);
  await scene.proxy.mend();
  const took = await recovery(scene, expected.recovers ?? 2_000);
  t.ok(took <= (expected.recovers ?? 2_000), `as before within ${expected.recovers ?? 2_000} ms: ${took.toFixed(0)}`);
  await asBefore(t, scene, 'after');
  await readiness(t, scene, 200);
}

/** Behind a full queue nothing stands for long: what did is cut, so that whoever asks has to connect. */
export async function put(proxy: Scene['proxy'], fault: Fault): Promise<void> {
  await proxy.set(fault);
  if (fault.door === 'never accept') proxy.cut();
}

export async function asBefore(t: Test, scene: Scene, when: string): Promise<void> {
  const [good, bad, none, other] = await inOneOfThree(scene);
  t.match(good.said, /^2\d\d$/, `${when}: good`);
  t.match(bad.said, /^40[13]/, `${when}: bad`);
  t.match(none.said, /^40[13]/, `${when}: none`);
  t.match(other.said, /^2\d\d$/, `${when}: other`);
}

/** Of a fault that was there before the program was. */
export function during(t: Test, scene: Scene, expected: Expected): Promise<void> {
  return holdsOnce(t, `good: ${expected.good.join(', ')}, in one round of three`, () => asked(t, scene, expected));
}

async function asked(t: Test, scene: Scene, expected: Expected): Promise<Round> {
  const [good, bad, none, other, live] = await Promise.all([
    scene.good(),
    scene.bad(),
    scene.none(),
    scene.other(),
    fetch(`${scene.adminUrl}/livez`),
  ]);
  judge(t, 'bad', bad, expected.bad);
  judge(t, 'none', none, expected.none);
  t.match(other.said, /^2\d\d$/, 'other');
  t.ok(other.ran < UNAFFECTED, `other: ${other.ran.toFixed(0)} ms`);
  t.equal(live.status, 200, 'live');
  const [least, limit] = expected.took ?? [0, Number.POSITIVE_INFINITY];
  // So busy as the machine was for whoever asked beside it.
  const most = limit + 2 * other.took;
  // A timer counts from the turn of the event loop in which it was set, which began a little before.
  const isTimely = good.took >= 0.98 * least && good.ran <= most;
  if (good.status >= 500) {
    t.equal(good.challenge, null, 'an outage challenges nobody');
    if (expected.retryAfter) t.match(good.retryAfter, /^[1-9]\d*$/, 'Retry-After');
  }
  if (good.status >= 400 && good.status < 500 && !expected.good.includes(good.said)) t.fail(`good: ${good.said}`);
  const met = `${good.said} after ${good.took.toFixed(0)} ms of ${least} to ${most.toFixed(0)}`;
  return { held: isTimely && expected.good.includes(good.said), met };
}

function judge(t: Test, who: string, { said, status }: Told, wanted: readonly string[] | undefined): void {
  if (status >= 200 && status < 300) t.fail(`${who}: let through`);
  else if (wanted === undefined) t.match(said, /^40[13]/, who);
  else t.ok(wanted.includes(said), `${who}: ${said}`);
}

/** A dependency that has to answer within 250 ms is out for whoever asks while the machine is busier than that. */
async function inOneOfThree(scene: Scene): ReturnType<typeof all> {
  let told = await all(scene);
  for (let again = 0; again < 2 && told.some(({ status }) => status >= 500); again++) {
    await recovery(scene, 10_000);
    told = await all(scene);
  }
  return told;
}

function all(scene: Scene): Promise<[Told, Told, Told, Told]> {
  return Promise.all([scene.good(), scene.bad(), scene.none(), scene.other()]);
}

/** Milliseconds in which readiness follows an outage; to its end it may take a connection more. */
const FOLLOWS = 2_000;

async function readiness(t: Test, { adminUrl }: Scene, wanted: 200 | 503): Promise<void> {
  const passed = runningTime();
  let status = 0;
  while (status !== wanted && passed() < 2 * FOLLOWS) {
    if (status !== 0) await pause(50);
    status = (await fetch(`${adminUrl}/readyz`)).status;
  }
  t.equal(status, wanted, 'readiness');
  t.ok(passed() < (wanted === 503 ? FOLLOWS : 2 * FOLLOWS), `readiness follows within ${passed().toFixed(0)} ms`);
}

/** Milliseconds until a good credential passes. */
export async function recovery(scene: Scene, most: number): Promise<number> {
  const passed = runningTime();
  while (passed() <= most + 5_000) {
    const told = await scene.good();
    if (told.status < 300) return passed();
    if (told.status === 401 || told.status === 403) return Number.POSITIVE_INFINITY;
    await pause(20);
  }
  return Number.POSITIVE_INFINITY;
}

export async function tell(url: string, init: RequestInit = {}): Promise<Told> {
  const start = performance.now();
  const passed = runningTime();
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const [took, ran] = [performance.now() - start, passed()];
  const { status, headers } = response;
  const said = status < 300 ? String(status) : `${status} ${codeOf(text)}`.trim();
  return {
    said,
    status,
    retryAfter: headers.get('retry-after'),
    challenge: headers.get('www-authenticate'),
    took,
    ran,
  };
}

function codeOf(text: string): string {
  try {
    const body = JSON.parse(text) as { code?: string; error?: string };
    return body.code ?? body.error ?? '';
  } catch {
    return '';
  }
}

export function tellWith(url: string, token: string): Promise<Told> {
  return tell(url, { headers: { authorization: `Bearer ${token}` } });
}

export type Rows = Readonly<Partial<Record<FaultName, Expected>>>;

/** The points of one dependency, each in a test of its own with a program of its own. */
export function dependency(t: Test, name: string, open: (t: Test) => Promise<Scene>, rows: Rows): void {
  for (const [fault, expected] of Object.entries(rows) as [FaultName, Expected][]) {
    void t.test(`${name}: ${fault.replace('_', ' ')}`, async (t) => point(t, await open(t), faults[fault], expected));
  }
}

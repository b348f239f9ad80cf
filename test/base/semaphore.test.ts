import { stat } from 'node:fs';
import { setImmediate as turned } from 'node:timers/promises';
import t from 'tap';
import { Lane, Semaphore } from '../../src/base/semaphore.ts';
import fc, { tries } from '../support/properties.ts';

function oneLane(slots: number) {
  const lane = new Lane();
  const semaphore = new Semaphore(slots, () => lane);
  return {
    acquire: (milliseconds: number) => semaphore.acquire(lane, milliseconds),
    release: () => semaphore.release(),
  };
}

t.test('at most the given slots are taken, and waiters get them in order', async (t) => {
  const { acquire, release } = oneLane(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    await acquire(5000);
    entered.push(name);
  };
  const all = Promise.all(['a', 'b', 'c', 'd'].map(enter));
  await turned();
  t.strictSame(entered, ['a', 'b']);
  release();
  await turned();
  t.strictSame(entered, ['a', 'b', 'c']);
  release();
  await all;
  t.strictSame(entered, ['a', 'b', 'c', 'd']);
});

t.test('a waiter whose deadline passes is rejected, and gets no slot that is released later', async (t) => {
  const { acquire, release } = oneLane(1);
  await acquire(1000);
  await t.rejects(acquire(10), { message: 'timeout in the queue; 1 waiting' });
  release();
  await acquire(10);
  await t.rejects(acquire(10), 'the slot was given once');
});

t.test('a slot that was released while this process was busy is given before deadlines are checked', async (t) => {
  const { acquire, release } = oneLane(1);
  await acquire(1000);
  const waited = acquire(20);
  stat('.', release);
  const busyUntil = performance.now() + 1_000;
  while (performance.now() < busyUntil);
  await t.resolves(waited);
});

t.test('a slot is free only if no caller waits for it', async (t) => {
  const lane = new Lane();
  const semaphore = new Semaphore(1, () => lane);
  t.ok(semaphore.tryAcquire());
  const waits = lane.wait();
  semaphore.release();
  t.notOk(semaphore.isFree);
  t.notOk(semaphore.tryAcquire());
  t.ok(await waits);
  semaphore.release();
  t.ok(semaphore.isFree);
});

t.test('a lane is full with as many waiters as it has places', async (t) => {
  const lane = new Lane(1);
  t.notOk(lane.isFull);
  void lane.wait();
  t.ok(lane.isFull);
  t.ok(lane.callFirst());
  t.notOk(lane.isFull);
  t.notOk(lane.callFirst(), 'nobody waits');
  t.notOk(lane.dismissLast(), 'nobody waits');
});

t.test('the last of a lane is dismissed, and the first is called', async (t) => {
  const lane = new Lane();
  const waits = [lane.wait(), lane.wait(), lane.wait()];
  t.ok(lane.dismissLast());
  t.ok(lane.callFirst());
  t.ok(lane.callFirst());
  t.strictSame(await Promise.all(waits), [true, true, false]);
});

t.test('a waiter whose signal has fired loses its place, and one that has a slot keeps it', async (t) => {
  const lane = new Lane();
  t.notOk(await lane.wait(AbortSignal.abort()));
  t.equal(lane.size, 0);
  const gone = new AbortController();
  const waits = lane.wait(gone.signal);
  lane.callFirst();
  gone.abort();
  t.ok(await waits);
});

const LANES = [0, 1, 2] as const;

/** What happens to one caller of a semaphore. */
interface Caller {
  readonly lane: number;
  readonly gone: AbortController;
  state: 'full' | 'waits' | 'cancelled' | 'dismissed' | 'runs' | 'ended';
}

/** A semaphore, its callers, and lanes that take turns in the order of `turns`. */
class Scene {
  readonly lanes = LANES.map(() => new Lane(3));
  /** In order of arrival. */
  readonly callers: Caller[] = [];
  /** In the order in which they got a slot. */
  readonly started: Caller[] = [];
  readonly slots: number;
  readonly semaphore: Semaphore;

  constructor(slots: number, turns: readonly number[]) {
    let turn = 0;
    this.slots = slots;
    this.semaphore = new Semaphore(slots, () => {
      const first = turns[turn++ % turns.length] ?? 0;
      return LANES.map((step) => this.laneAt(first + step)).find(({ size }) => size > 0);
    });
  }

  in(state: Caller['state']): readonly Caller[] {
    return this.callers.filter((caller) => caller.state === state);
  }

  laneAt(index: number): Lane {
    return this.lanes[index % this.lanes.length] ?? new Lane();
  }

  call(lane: number): void {
    const caller: Caller = { lane, gone: new AbortController(), state: 'waits' };
    this.callers.push(caller);
    if (this.semaphore.tryAcquire()) this.#start(caller);
    else if (this.laneAt(lane).isFull) caller.state = 'full';
    else
      void this.laneAt(lane)
        .wait(caller.gone.signal)
        .then((hasSlot) => hasSlot && this.#start(caller));
  }

  cancel(choice: number): void {
    const waiting = this.in('waits');
    const caller = waiting[choice % waiting.length];
    if (caller === undefined) return;
    caller.gone.abort();
    caller.state = 'cancelled';
  }

  dismiss(lane: number): void {
    const last = this.in('waits').findLast((caller) => caller.lane === lane);
    if (this.laneAt(lane).dismissLast() && last !== undefined) last.state = 'dismissed';
  }

  end(choice: number): void {
    const running = this.in('runs');
    const caller = running[choice % running.length];
    if (caller === undefined) return;
    caller.state = 'ended';
    this.semaphore.release();
  }

  /** Whether the rules that must always hold do hold now. */
  get holds(): boolean {
    const { length: running } = this.in('runs');
    const { length: waiting } = this.in('waits');
    const inLanes = this.lanes.reduce((sum, { size }) => sum + size, 0);
    return running <= this.slots && (waiting === 0 || running === this.slots) && waiting === inLanes;
  }

  /** A caller that was turned away and still starts keeps its state. */
  #start(caller: Caller): void {
    if (caller.state === 'waits') caller.state = 'runs';
    this.started.push(caller);
  }
}

const doings = ['call', 'call', 'call', 'end', 'end', 'cancel', 'dismiss'] as const;

const scenes = [
  fc.integer({ min: 1, max: 4 }),
  fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
  fc.array(fc.tuple(fc.constantFrom(...doings), fc.nat(2)), { maxLength: 60 }),
] as const;

/** The consequences of a step follow within a few turns of the promise queue. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await undefined;
}

/** Runs the steps one after another, checks the rules after each, and ends all running callers at the end. */
async function played(
  slots: number,
  turns: readonly number[],
  steps: readonly (readonly [(typeof doings)[number], number])[],
) {
  const scene = new Scene(slots, turns);
  const held: boolean[] = [];
  for (const [step, choice] of steps) {
    scene[step](choice);
    await settled();
    held.push(scene.holds);
  }
  while (scene.in('runs').length > 0) {
    scene.end(0);
    await settled();
  }
  return { scene, held: held.every(Boolean) };
}

/** Fails with the steps after which a rule is broken. */
async function always(rule: (play: Awaited<ReturnType<typeof played>>) => boolean): Promise<void> {
  const property = fc.asyncProperty(...scenes, async (...scene) => rule(await played(...scene)));
  await fc.assert(property, tries(300, 3000));
}

t.test('never more callers run than there are slots, and no slot is idle while a caller waits', async () => {
  await always(({ held }) => held);
});

t.test('callers of one lane get their slots in order of arrival', async () => {
  await always(({ scene }) =>
    LANES.every((lane) => {
      const places = scene.started
        .filter((caller) => caller.lane === lane)
        .map((caller) => scene.callers.indexOf(caller));
      return places.every((place, index) => index === 0 || place > (places[index - 1] ?? place));
    }),
  );
});

t.test(
  'every caller gets a slot once, except for callers that were cancelled, dismissed or found the lane full',
  async () => {
    await always(({ scene }) => {
      const started = new Set(scene.started);
      const isOnce = started.size === scene.started.length;
      return isOnce && scene.callers.every((caller) => (caller.state === 'ended') === started.has(caller));
    });
  },
);

t.test('once all callers have ended, as many slots are free as at first', async () => {
  await always(({ scene: { semaphore, slots } }) => {
    const taken = Array.from({ length: slots + 1 }, () => semaphore.tryAcquire());
    return taken.filter(Boolean).length === slots;
  });
});

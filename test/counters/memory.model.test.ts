import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import t from 'tap';
import { PARTS } from '../../src/counters/counters.ts';
import { type MemoryCounters, memoryCounters } from '../../src/counters/memory.ts';
import { buildThrottle, type Throttle } from '../../src/counters/throttle.ts';
import { type HeldClock, heldClock } from '../gateway/issuer.ts';
import fc, { tries } from '../support/properties.ts';

/** Thousands of histories: 50 s in .ci/run on a busy machine. */
t.setTimeout(300_000);

/** Milliseconds. */
const THROTTLE = 10_000;
const MOST_FAILURES = 3;

interface Failed {
  readonly from: number;
  readonly window: number;
  count: number;
}

interface Model {
  now: number;
  /** When each request passed, by key and window. */
  readonly passed: Map<string, number[]>;
  readonly failed: Map<string, Failed>;
  readonly guessed: Map<string, Failed>;
}

interface Real {
  readonly clock: HeldClock;
  readonly counters: MemoryCounters;
  readonly throttle: Throttle;
}

type Command = fc.Command<Model, Real>;

function command(text: string, run: (model: Model, real: Real) => void): Command {
  return { check: () => true, run, toString: () => text };
}

const take = (key: string, limit: { readonly requests: number; readonly window: number }) =>
  command(`take ${key} ${JSON.stringify(limit)}`, (model, { counters }) => {
    const { requests, window } = limit;
    const name = `${key} ${window}`;
    const times = model.passed.get(name) ?? [];
    const since = (from: number) => times.filter((at) => at > from).length;
    const told = counters.take(key, limit);
    const most = window * (1 + 1 / PARTS);
    if (told === 0) model.passed.set(name, [...times, model.now]);
    if (told === 0) ok(since(model.now - window) < requests, 'more passed than the limit says');
    else ok(since(model.now - most) >= requests, 'there was room');
    ok(told <= window, 'a wait longer than the window');
  });

const current = (of: Map<string, Failed>, key: string, now: number) => {
  const known = of.get(key);
  return known !== undefined && now < known.from + known.window ? known : undefined;
};

const asFailures = (failed: Failed | undefined, now: number) =>
  failed === undefined ? { count: 0, endsIn: 0 } : { count: failed.count, endsIn: failed.from + failed.window - now };

function failing(of: Map<string, Failed>, key: string, window: number, now: number): Failed {
  const known = current(of, key, now) ?? { from: now, window, count: 0 };
  known.count++;
  of.set(key, known);
  return known;
}

/** Attempts that are checked at the same time: all of them before the first has failed. */
const guess = (name: string, address: string, atOnce: number) =>
  command(`guess ${name} from ${address}, ${atOnce} at once`, (model, { throttle }) => {
    const key = `${name} ${address}`;
    const { now } = model;
    const known = current(model.guessed, key, now);
    const isOver = (known?.count ?? 0) >= MOST_FAILURES;
    for (const attempt of Array.from({ length: atOnce }, () => throttle.attempt(name, address))) {
      if (attempt instanceof Promise) throw new Error('it answers later');
      const wait = asFailures(known, now).endsIn;
      strictEqual(attempt.retryAfter, isOver ? Math.max(1, Math.ceil(wait / 1000)) : undefined);
      if (isOver) continue;
      const failed = failing(model.guessed, key, THROTTLE, now);
      const ends = Math.max(1, Math.ceil(asFailures(failed, now).endsIn / 1000));
      strictEqual(attempt.fail(), failed.count > MOST_FAILURES ? ends : undefined);
    }
  });

const key = fc.constantFrom('a', 'b', 'x'.repeat(200), 'x'.repeat(201));
const limit = fc.record({ requests: fc.constantFrom(1, 2, 5), window: fc.constantFrom(1000, 1037, 60_000) });

const commands = fc.commands<Model, Real>(
  [
    fc.tuple(key, limit).map((of) => take(...of)),
    fc.tuple(fc.constantFrom('a'), fc.constant({ requests: 2, window: 1000 })).map((of) => take(...of)),
    fc.tuple(key, fc.constantFrom(1000, 5000)).map(([key, window]) =>
      command(`fail ${key} ${window}`, (model, { counters }) => {
        const failed = failing(model.failed, key, window, model.now);
        deepStrictEqual(counters.fail(key, window), asFailures(failed, model.now));
      }),
    ),
    key.map((key) =>
      command(`failures of ${key}`, (model, { counters }) => {
        deepStrictEqual({ ...counters.failures(key) }, asFailures(current(model.failed, key, model.now), model.now));
      }),
    ),
    fc
      .tuple(fc.constantFrom('alice', 'bob'), fc.constantFrom('192.0.2.1', '192.0.2.2'), fc.integer({ min: 1, max: 5 }))
      .map((of) => guess(...of)),
    fc.oneof(fc.nat(60), fc.constantFrom(50, 499, 999, 1000, 1050, 4999, 5000, 9999, 10_000, 63_000)).map((by) =>
      command(`${by} ms pass`, (model, { clock }) => {
        clock.advance(by);
        model.now += by;
      }),
    ),
    fc
      .constantFrom(-86_400_000, 86_400_000)
      .map((by) => command(`the wall clock steps by ${by}`, (_model, { clock }) => clock.step(by))),
  ],
  { size: '+1' },
);

t.test(
  'requests, failures and guesses are counted separately, each in its own window, whatever the wall clock does',
  async (t) => {
    const { numRuns } = tries(40, 400);
    const property = fc.property(commands, fc.nat(5000), (commands, offset) => {
      fc.modelRun(() => {
        const clock = heldClock();
        clock.advance(offset);
        const counters = memoryCounters(clock);
        const throttle = buildThrottle({
          counters: memoryCounters(clock),
          maxFailures: MOST_FAILURES,
          window: THROTTLE,
        });
        const model: Model = { now: clock.monotonic(), passed: new Map(), failed: new Map(), guessed: new Map() };
        return { model, real: { clock, counters, throttle } };
      }, commands);
    });
    fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);

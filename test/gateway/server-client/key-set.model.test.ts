import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import t from 'tap';
import { type FoundKeys, type KeySet, keySet } from '../../../src/gateway/server-client/key-set.ts';
import type { VerificationKey } from '../../../src/jwt/keys.ts';
import { signingKey } from '../../support/keys.ts';
import fc, { tries } from '../../support/properties.ts';
import { type HeldClock, heldClock } from '../issuer.ts';

/** Thousands of histories: 26 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

/** Milliseconds. */
const COOLDOWN = 10_000;
/** The time without a retry after a failure, if there is no key. */
const COLD = 1_000;
const TTL = 60_000;
const STALE = 120_000;
/** The time for which a `kid` that the server did not have is not requested again. */
const ABSENT = 6 * COOLDOWN;

const { jwk } = await signingKey('ES256');
const kids = ['a', 'b', 'c', 'd'] as const;
type Kid = (typeof kids)[number];

interface Model {
  now: number;
  /** What the server publishes. */
  published: readonly Kid[];
  isDown: boolean;
  /** The last good set, and when it arrived. */
  good: { readonly kids: readonly Kid[]; readonly at: number } | undefined;
  hasFailed: boolean;
  failedAt: number;
  nextQuestion: number;
  readonly absentUntil: Map<Kid, number>;
  loads: number;
}

interface Real {
  readonly clock: HeldClock;
  readonly keys: KeySet;
  readonly server: { published: readonly Kid[]; isDown: boolean; loads: number; underWay: number };
  readonly seen: Map<Kid, VerificationKey>;
}

function open(): Real {
  const clock = heldClock();
  const server: Real['server'] = { published: ['a'], isDown: false, loads: 0, underWay: 0 };
  const keys = keySet({
    source: {
      every: 2 ** 30,
      async load() {
        server.loads++;
        strictEqual(++server.underWay, 1, 'one fetch at a time');
        await Promise.resolve();
        server.underWay--;
        if (server.isDown) return { kind: 'failed', detail: 'down' };
        return { kind: 'json', value: { keys: server.published.map((kid) => ({ ...jwk, kid })) } };
      },
    },
    algorithms: ['ES256'],
    ttl: TTL,
    cooldown: COOLDOWN,
    staleIfError: STALE,
    clock,
    log: { info() {}, warn() {}, error() {} },
    faults: { failed() {}, recovered() {} },
  });
  return { clock, keys, server, seen: new Map() };
}

const usable = ({ good, now }: Model) => (good !== undefined && now < good.at + TTL + STALE ? good.kids : undefined);
const without = ({ hasFailed }: Model) => (hasFailed ? 'out' : 'unknown');

/** A good set has a key. After any other answer, the previous set is kept. */
function load(model: Model): void {
  model.loads++;
  const isGood = !model.isDown && model.published.length > 0;
  if (isGood) model.good = { kids: model.published, at: model.now };
  else model.failedAt = model.now;
  model.hasFailed = !isGood;
}

/** For tokens that arrive at once: the answer to each, in order. */
function tell(model: Model, wanted: readonly Kid[]): readonly string[] {
  const here = usable(model);
  let isUnderWay = false;
  const waiting = wanted.map((kid) => {
    if (here?.includes(kid)) return 'keys';
    const waits =
      here === undefined ? isUnderWay || model.now >= model.failedAt + COLD : isWorthIt(model, kid, isUnderWay);
    if (!waits) return without(model);
    if (here !== undefined && !isUnderWay) model.nextQuestion = model.now + COOLDOWN;
    isUnderWay = true;
    return undefined;
  });
  if (!isUnderWay) return waiting.map((told) => told ?? without(model));
  load(model);
  const [first, ...late] = wanted.filter((_, index) => waiting[index] === undefined);
  const answers = [tellAfterLoad(model, first as Kid), ...tellLate(model, late)];
  return waiting.map((told) => told ?? (answers.shift() as string));
}

/** These tokens arrived after the fetch had begun. So a key that the fetch lacks is worth another fetch, if one is due. */
function tellLate(model: Model, late: readonly Kid[]): readonly string[] {
  let isUnderWay = false;
  const again = late.map((kid) => {
    const isAbsent = usable(model)?.includes(kid) === false && !model.hasFailed;
    if (!isAbsent || !isWorthIt(model, kid, isUnderWay)) return false;
    if (!isUnderWay) model.nextQuestion = model.now + COOLDOWN;
    isUnderWay = true;
    return true;
  });
  if (isUnderWay) load(model);
  return late.map((kid, index) => {
    if (again[index]) return tellAfterLoad(model, kid);
    return usable(model)?.includes(kid) ? 'keys' : without(model);
  });
}

const isWorthIt = ({ now, absentUntil, nextQuestion }: Model, kid: Kid, isUnderWay: boolean) =>
  (absentUntil.get(kid) ?? 0) <= now && (isUnderWay || now >= nextQuestion);

function tellAfterLoad(model: Model, kid: Kid): string {
  if (usable(model)?.includes(kid)) return 'keys';
  if (!model.hasFailed) model.absentUntil.set(kid, model.now + ABSENT);
  return without(model);
}

type Command = fc.AsyncCommand<Model, Real, true>;

function command(text: string, run: (model: Model, real: Real) => void | Promise<void>): Command {
  return { check: async () => true, run: async (model, real) => run(model, real), toString: () => text };
}

const found = (wanted: readonly Kid[]) =>
  command(`find ${wanted}`, async (model, { keys, server, seen }) => {
    const answers: readonly FoundKeys[] = await Promise.all(wanted.map((kid) => keys.find('ES256', kid)));
    deepStrictEqual(
      answers.map(({ kind }) => kind),
      tell(model, wanted),
    );
    strictEqual(server.loads, model.loads, 'fetches');
    for (const [index, answer] of answers.entries())
      for (const key of answer.kind === 'keys' ? answer.keys : []) {
        strictEqual(key.kid, wanted[index]);
        seen.set(wanted[index] as Kid, key);
      }
  });

const commands = fc.commands<Model, Real, true>(
  [
    fc.constantFrom(...kids).map((kid) => found([kid])),
    fc.constantFrom(...kids).map((kid) => found([kid])),
    fc.array(fc.constantFrom(...kids), { minLength: 2, maxLength: 6 }).map(found),
    fc.subarray([...kids]).map((published) =>
      command(`publish ${published}`, (model, { server }) => {
        model.published = published;
        server.published = published;
      }),
    ),
    fc.boolean().map((isDown) =>
      command(isDown ? 'down' : 'up', (model, { server }) => {
        model.isDown = isDown;
        server.isDown = isDown;
      }),
    ),
    fc.constantFrom(1, 999, 1_000, 9_999, 10_000, 50_000, 59_999, 60_000, 119_999, 179_999, 180_000).map((by) =>
      command(`${by} ms pass`, (model, { clock }) => {
        clock.advance(by);
        model.now += by;
      }),
    ),
    fc
      .constantFrom(-3_600_000, 3_600_000)
      .map((by) => command(`the wall clock steps by ${by}`, (_model, { clock }) => clock.step(by))),
    fc.constant(
      command('look at what was verified', (model, { keys, seen }) => {
        strictEqual(keys.usable(), usable(model) !== undefined);
        for (const [kid, key] of seen) {
          if (keys.holds(key)) ok(usable(model)?.includes(kid), `${kid} is gone, and what it verified still counts`);
        }
        for (const kid of usable(model) ?? []) {
          const key = seen.get(kid);
          const again = key === undefined ? undefined : keys.find('ES256', kid);
          if (again !== undefined)
            ok(
              'kind' in again && again.kind === 'keys' && keys.holds(again.keys[0] as VerificationKey),
              `${kid} is here`,
            );
        }
      }),
    ),
  ],
  { size: '+1' },
);

t.test('a key set uses its last good keys, and fetches others no more often than allowed', async (t) => {
  const { numRuns } = tries(300, 8_000);
  const property = fc.asyncProperty(commands, async (commands) => {
    const real = open();
    const model: Model = {
      now: 0,
      published: ['a'],
      isDown: false,
      good: undefined,
      hasFailed: false,
      failedAt: -Infinity,
      nextQuestion: 0,
      absentUntil: new Map(),
      loads: 0,
    };
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
    } finally {
      real.keys.close();
    }
  });
  await fc.assert(property, { numRuns });
  t.pass(`${numRuns} histories`);
});

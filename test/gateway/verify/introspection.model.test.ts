import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { outage } from '../../../src/base/verdict.ts';
import type { Fetched } from '../../../src/gateway/server-client/fetch-json.ts';
import {
  buildIntrospection,
  type Introspected,
  type Introspection,
} from '../../../src/gateway/verify/verify-introspection.ts';
import fc, { tries } from '../../support/properties.ts';
import { type HeldClock, heldClock, settings } from '../issuer.ts';

// Simultaneous questions about the same tokens, and answers in any order. Each caller gets what the server said about
// that very token, no earlier than the question allows.

/** Thousands of histories: 19 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

const ISSUER = 'https://auth.example.com';
/** Milliseconds. */
const NEGATIVE = 5_000;
const OUT_FOR = 1_000;
const MOST_AT_ONCE = 2;
const MOST_WAITING = 16 * MOST_AT_ONCE;

type State = 'active' | 'inactive' | 'down' | 'babble';

/** All states of the server, by version. */
class Server {
  readonly history: State[] = ['active'];
  readonly #underWay: string[] = [];
  calls = 0;
  mostAtOnce = 0;
  readonly scheduler: fc.Scheduler;
  readonly #now: () => number;
  /** When the last answer of each version arrived. */
  readonly toldAt: number[] = [];

  constructor(scheduler: fc.Scheduler, now: () => number) {
    this.scheduler = scheduler;
    this.#now = now;
  }

  get version(): number {
    return this.history.length - 1;
  }

  get idle(): boolean {
    return this.#underWay.length === 0;
  }

  async answer(token: string): Promise<Fetched> {
    const { version } = this;
    this.calls++;
    this.#underWay.push(token);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay.length);
    await this.scheduler.schedule(Promise.resolve(), token);
    this.#underWay.splice(this.#underWay.indexOf(token), 1);
    this.toldAt[version] = this.#now();
    return said[this.history[version] as State](token, version);
  }
}

const said: Record<State, (token: string, version: number) => Fetched> = {
  active: (token, version) => ({ kind: 'json', value: { active: true, sub: token, jti: String(version) } }),
  inactive: () => ({ kind: 'json', value: { active: false } }),
  down: () => ({ kind: 'failed', detail: 'down' }),
  babble: () => ({ kind: 'json', value: { active: 'yes' } }),
};

const kinds: Record<State, Introspected['kind']> = {
  active: 'facts',
  inactive: 'refused',
  down: 'outage',
  babble: 'outage',
};

interface Scene {
  readonly clock: HeldClock;
  readonly server: Server;
  readonly introspection: Introspection;
  readonly pending: Promise<Error | undefined>[];
  /** The server's version when all answers on their way were last dropped. */
  forgottenAt: number;
  isCrowded: boolean;
  /** Answers on their way, by token, since all of them were last dropped. */
  readonly flights: Map<string, Promise<unknown>>;
  /** Questions that did not share another's answer. */
  asked: number;
}

type Action = (scene: Scene) => Promise<void> | void;

function saying(text: string, action: Action): Action {
  return Object.assign(action, { [fc.toStringMethod]: () => text });
}

/** Every state of the server since `from`; a refusal may be cached from a while before. */
function mayBe(scene: Scene, token: string, from: number, verdict: Introspected): boolean {
  const { server } = scene;
  const states = server.history.map((state, version) => [version, state] as const);
  if (verdict.kind === 'facts') {
    const { subject, claims } = verdict.identity;
    const version = Number(claims.jti);
    return subject === token && version >= from && server.history[version] === 'active';
  }
  if (verdict.kind === 'outage' && verdict.detail?.startsWith('too many calls')) return scene.isCrowded;
  const remembered = verdict.kind === 'refused' ? scene.clock.monotonic() - NEGATIVE : Number.POSITIVE_INFINITY;
  const isLate = (version: number) => version >= from || (server.toldAt[version] ?? 0) > remembered;
  return states.some(([version, state]) => kinds[state] === verdict.kind && isLate(version));
}

function ask(scene: Scene, token: string): void {
  const { introspection, flights } = scene;
  // An answer on its way was requested after the last time that all of them were dropped.
  const from = scene.forgottenAt;
  const asked = introspection.verify(token);
  if (!(asked instanceof Promise) && asked.kind !== 'refused')
    throw new Error(`only a refusal is remembered, not ${asked.kind}`);
  const underWay = flights.get(token);
  if (underWay !== undefined && asked !== underWay) throw new Error(`${token} is asked about already`);
  if (underWay === undefined && asked instanceof Promise) {
    scene.asked++;
    flights.set(token, asked);
    void asked.then(() => flights.get(token) === asked && flights.delete(token));
  }
  const judge = async () => {
    const verdict = await asked;
    if (!mayBe(scene, token, from, verdict))
      throw new Error(`${token}: ${JSON.stringify(verdict)} of the versions from ${from} on, ${scene.server.history}`);
  };
  scene.pending.push(
    judge().then(
      () => undefined,
      (error: Error) => error,
    ),
  );
}

function become(scene: Scene, state: State): void {
  scene.server.history.push(state);
}

async function settle(scene: Scene): Promise<void> {
  const errors = await scene.server.scheduler.waitFor(Promise.all(scene.pending.splice(0)));
  for (const error of errors) if (error !== undefined) throw error;
  if (!scene.server.idle) return;
  // No answer is on its way, so the next answer has the current state.
  scene.forgottenAt = scene.server.version;
}

const tokens = ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'd'];
const token = fc.constantFrom(...tokens);
const states: readonly State[] = ['active', 'inactive', 'down', 'babble'];

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: token.map((each) => saying(`ask about ${each}`, (scene) => ask(scene, each))) },
  {
    weight: 2,
    arbitrary: fc.array(token, { minLength: 2, maxLength: 12 }).map((all) =>
      saying(`ask about ${all}`, (scene) => {
        for (const each of all) ask(scene, each);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...states, 'active' as const)
      .map((state) => saying(`be ${state}`, (scene) => become(scene, state))),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      saying('forget', (scene) => {
        scene.introspection.forget();
        scene.flights.clear();
        scene.forgottenAt = scene.server.version;
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constant(
      saying('one answer comes', ({ server }) =>
        server.scheduler.count() > 0 ? server.scheduler.waitOne() : undefined,
      ),
    ),
  },
  { weight: 2, arbitrary: fc.constant(saying('all answers come', settle)) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1, 999, 1_000, 4_999, 5_000)
      .map((by) => saying(`${by} ms pass`, ({ clock }) => clock.advance(by))),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      saying('ask about too many', (scene) => {
        scene.isCrowded = true;
        for (let index = 0; index < MOST_AT_ONCE + MOST_WAITING + 3; index++) ask(scene, `crowd ${index}`);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      saying('a failure is told of for a moment, and asked about anew', async (scene) => {
        await settle(scene);
        const { clock, server, introspection } = scene;
        clock.advance(NEGATIVE);
        become(scene, 'down');
        ask(scene, 'a');
        await settle(scene);
        if (!introspection.isOut()) throw new Error('it is out');
        const before = server.calls;
        ask(scene, 'a');
        if (server.calls === before) await turn();
        if (server.calls !== before + 1) throw new Error('a failure is not remembered');
        await settle(scene);
        clock.advance(OUT_FOR);
        if (introspection.isOut()) throw new Error('it may be back');
      }),
    ),
  },
);

function open(scheduler: fc.Scheduler): Scene {
  const clock = heldClock();
  const server = new Server(scheduler, () => clock.monotonic());
  const cache = { ...settings(ISSUER).cache, max_concurrent: MOST_AT_ONCE, negative_ttl: NEGATIVE };
  const introspection = buildIntrospection(
    { issuer: ISSUER, server: 'main', scopeClaims: ['scope'], cache, skew: 30_000, maxLifetime: 86_400_000 },
    {
      ask: (_endpoint, token) => server.answer(token),
      endpoint: async () => `${ISSUER}/introspect`,
      moved() {},
      clock,
      faults: { failed() {}, recovered() {} },
      out: (detail) => outage('authorization_servers.main', 5, detail),
    },
  );
  return {
    clock,
    server,
    introspection,
    pending: [],
    forgottenAt: 0,
    isCrowded: false,
    flights: new Map(),
    asked: 0,
  };
}

t.test(
  'each question about a token gets what the server says, with one call for all simultaneous questions',
  async (t) => {
    const { numRuns } = tries(40, 1000);
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 3, maxLength: 40, size: 'max' }),
      fc.scheduler(),
      async (actions, scheduler) => {
        const scene = open(scheduler);
        for (const act of actions) {
          await act(scene);
          await turn();
        }
        await settle(scene);
        const { mostAtOnce, idle, calls } = scene.server;
        if (calls > scene.asked) throw new Error(`${calls} calls for ${scene.asked} questions`);
        if (mostAtOnce > MOST_AT_ONCE) throw new Error(`${mostAtOnce} calls at one time`);
        if (!idle) throw new Error('a call is under way that nobody waits for');
      },
    );
    await fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);

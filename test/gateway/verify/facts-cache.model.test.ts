import { strictEqual } from 'node:assert/strict';
import { generateKeyPair } from 'jose';
import t from 'tap';
import { outage } from '../../../src/base/verdict.ts';
import type { Identity, TokenMarks } from '../../../src/gateway/message/identity.ts';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import type { Facts } from '../../../src/gateway/verify/facts.ts';
import { type FactsCache, factsCache } from '../../../src/gateway/verify/facts-cache.ts';
import type { VerificationKey } from '../../../src/jwt/keys.ts';
import fc, { tries } from '../../support/properties.ts';
import { type HeldClock, heldClock, inAWord } from '../issuer.ts';

/** Thousands of histories: 14 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

/** Milliseconds. */
const SKEW = 30_000;
const MAX_STALENESS = 60_000;
const SIZE = 4;
/** Of all tokens together. */
const ROOM = SIZE * 4096;

type Doubt = 'introspect' | 'deny' | undefined;

interface Entry {
  readonly facts: Facts;
  /** Monotonic milliseconds. */
  readonly putAt: number;
}

interface Model {
  /** The least recently used first. */
  readonly entries: Map<string, Entry>;
  readonly revoked: Set<string>;
  readonly goneKeys: Set<VerificationKey>;
  doubt: Doubt;
}

interface Real {
  readonly clock: HeldClock;
  readonly list: DenyList;
  readonly cache: FactsCache;
  readonly world: Model;
}

const { publicKey: key } = await generateKeyPair('ES256');
const keys: readonly VerificationKey[] = ['one', 'other'].map((id) => ({ alg: 'ES256', kid: id, id, key }));
const tokens = ['a', 'b', 'c', 'd', 'e', 'f', 'g'.repeat(6000), 'h'.repeat(9000), 'i'.repeat(ROOM)];

function open(world: Model): Real {
  const clock = heldClock();
  const list = new DenyList({ leeway: 0 });
  const revocations = {
    get generation() {
      return list.generation;
    },
    denies: (marks: TokenMarks) => list.denies(marks),
    doubt: () => world.doubt,
  };
  const holds = (key: VerificationKey) => !world.goneKeys.has(key);
  const doubtful = outage('authorization_servers.main', 5, 'the feed is silent');
  return {
    clock,
    list,
    world,
    cache: factsCache({ size: SIZE, skew: SKEW, clock, holds, revocations, maxStaleness: MAX_STALENESS, doubtful }),
  };
}

/** The token as it is cached. A look-up counts as a use, and deletes it if its key is gone. */
function find(model: Model, token: string): Entry | undefined {
  const entry = model.entries.get(token);
  if (entry === undefined) return undefined;
  model.entries.delete(token);
  if (entry.facts.key !== undefined && model.goneKeys.has(entry.facts.key)) return undefined;
  model.entries.set(token, entry);
  return entry;
}

function saidAtOnce(model: Model, token: string, clock: HeldClock): string {
  const entry = find(model, token);
  if (entry === undefined) return 'unknown';
  const { facts, putAt } = entry;
  const { expiresAt = Infinity, notBefore = -Infinity } = facts.identity;
  if (model.revoked.has(token)) return 'token_revoked';
  if (clock.now() >= expiresAt * 1000 + facts.leeway) return 'token_expired';
  if (clock.now() < notBefore * 1000 - SKEW) return 'token_not_yet_valid';
  const age = clock.monotonic() - putAt;
  if (age >= facts.freshFor) return 'unknown';
  // While the feed is silent, the server's own recent answer.
  if (model.doubt === undefined || (facts.asked && age < MAX_STALENESS)) return 'hit';
  return model.doubt === 'deny' && !facts.asked ? 'outage' : 'unknown';
}

function saidWhenOut(model: Model, token: string, clock: HeldClock): string {
  const entry = find(model, token);
  if (entry === undefined || model.revoked.has(token)) return 'unknown';
  const { identity, leeway, freshFor, staleFor, asked } = entry.facts;
  if (clock.monotonic() >= entry.putAt + freshFor + staleFor) return 'unknown';
  if (clock.now() >= (identity.expiresAt ?? Infinity) * 1000 + leeway) return 'unknown';
  return asked || model.doubt === undefined ? 'stale' : 'unknown';
}

type Command = fc.Command<Model, Real>;

function command(text: string, run: (model: Model, real: Real) => void): Command {
  return { check: () => true, run, toString: () => text };
}

const short = (token: string) => `${token.slice(0, 1)}${token.length > 1 ? ` (${token.length})` : ''}`;

const put = (token: string, { lasts, begins, freshFor, staleFor, asked, key }: Shape) =>
  command(
    `put ${short(token)} ${JSON.stringify({ lasts, begins, freshFor, staleFor, asked })}`,
    (model, { clock, cache }) => {
      const now = Math.floor(clock.now() / 1000);
      const identity: Identity = {
        scheme: 'bearer',
        issuer: 'i',
        server: 'main',
        subject: token,
        clientId: undefined,
        scopes: new Set(),
        audience: undefined,
        expiresAt: lasts === undefined ? undefined : now + lasts,
        notBefore: begins === undefined ? undefined : now + begins,
        claims: {},
        marks: {
          kid: undefined,
          jti: token,
          gid: undefined,
          sid: undefined,
          subject: token,
          client: undefined,
          issuedAt: now,
          hash: token,
        },
      };
      const facts: Facts = {
        kind: 'facts',
        identity,
        jwt: !asked,
        key,
        asked,
        freshFor,
        staleFor,
        leeway: asked ? 0 : SKEW,
      };
      const said = cache.put(token, facts);
      strictEqual(inAWord(said), model.revoked.has(token) ? 'token_revoked' : 'miss');
      model.entries.delete(token);
      if (token.length >= ROOM) return;
      model.entries.set(token, { facts, putAt: clock.monotonic() });
      for (const [oldest] of model.entries) if (isFull(model)) model.entries.delete(oldest);
    },
  );

const isFull = ({ entries }: Model) =>
  entries.size > SIZE || [...entries.keys()].reduce((sum, token) => sum + token.length + 1, 0) > ROOM;

interface Shape {
  readonly lasts: number | undefined;
  readonly begins: number | undefined;
  readonly freshFor: number;
  readonly staleFor: number;
  readonly asked: boolean;
  readonly key: VerificationKey | undefined;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  lasts: fc.constantFrom(undefined, 1, 60, 600),
  begins: fc.constantFrom(undefined, undefined, 0, 20, 60),
  freshFor: fc.constantFrom(Infinity, 10_000, 60_000, 100_000),
  staleFor: fc.constantFrom(0, 30_000, 600_000),
  asked: fc.boolean(),
  key: fc.constantFrom(undefined, ...keys),
});

const token = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constantFrom(...tokens));

const get = token.map((each) =>
  command(`get ${short(each)}`, (model, { clock, cache }) => {
    const said = cache.get(each)?.answer;
    strictEqual(said === undefined ? 'unknown' : inAWord(said), saidAtOnce(model, each, clock));
    if (said?.kind === 'verified') strictEqual(said.identity.subject, each);
  }),
);

const commands = fc.commands<Model, Real>(
  [
    fc.tuple(token, shape).map((of) => put(...of)),
    fc.tuple(token, shape).map((of) => put(...of)),
    ...[1, 2, 3].map(() => get),
    token.map((each) =>
      command(`stale ${short(each)}`, (model, { clock, cache }) => {
        const said = cache.stale(each);
        strictEqual(said === undefined ? 'unknown' : inAWord(said), saidWhenOut(model, each, clock));
      }),
    ),
    token.map((each) =>
      command(`forget ${short(each)}`, (model, { cache }) => {
        cache.forget(each);
        model.entries.delete(each);
      }),
    ),
    fc.constant(
      command('clear', (model, { cache }) => {
        cache.clear();
        model.entries.clear();
      }),
    ),
    token.map((each) =>
      command(`revoke ${short(each)}`, (model, { list }) => {
        list.add({ kind: 'jti', key: each, until: 1e12 });
        model.revoked.add(each);
      }),
    ),
    fc.constantFrom(...keys).map((key) =>
      command(`the key ${key.id} goes or comes`, ({ goneKeys }) => {
        if (!goneKeys.delete(key)) goneKeys.add(key);
      }),
    ),
    fc.constantFrom<Doubt>(undefined, undefined, 'introspect', 'deny').map((doubt) =>
      command(`doubt ${doubt}`, (model) => {
        model.doubt = doubt;
      }),
    ),
    fc
      .constantFrom(1, 1000, 10_000, 29_999, 30_000, 60_000, 60_000)
      .map((by) => command(`${by} ms pass`, (_model, { clock }) => clock.advance(by))),
    fc
      .constantFrom(-3_600_000, -60_000, 60_000, 3_600_000)
      .map((by) => command(`the wall clock steps by ${by}`, (_model, { clock }) => clock.step(by))),
    fc.constant(command('count', ({ entries }, { cache }) => strictEqual(cache.size(), entries.size))),
  ],
  { size: '+2' },
);

t.test('the cache of facts returns what was put, as long as time, keys, feed and room allow', async (t) => {
  const { numRuns } = tries(500, 10_000);
  const property = fc.property(commands, (commands) => {
    fc.modelRun(() => {
      const model: Model = { entries: new Map(), revoked: new Set(), goneKeys: new Set(), doubt: undefined };
      return { model, real: open(model) };
    }, commands);
  });
  fc.assert(property, { numRuns });
  t.pass(`${numRuns} histories`);
});

import t, { type Test } from 'tap';
import type { Grant } from '../../../src/authorization/grants/grant.ts';
import { grants } from '../../../src/authorization/grants/grants.ts';
import { type OpenService, openService } from '../../../src/authorization/open-service.ts';
import type { TokenResponse } from '../../../src/authorization/tokens/issue.ts';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { buildLog } from '../../../src/base/log.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { OAuthError } from '../../../src/oauth/errors.ts';
import { parseOAuthParameters } from '../../../src/oauth/parameters.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { postgresServer, skipWithoutPostgres } from '../../support/postgres.ts';
import fc, { tries } from '../../support/properties.ts';
import { type SettableClock, settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { codeRecord, verifier } from '../grant-flow.ts';
import { callback, collector, configuration } from '../running-service.ts';

// Codes and refresh tokens as a client sees them, against a model without a database. Whatever requests run at once,
// and in whatever order the store executes their steps, some order of whole requests must explain the answers.

/** Starts PostgreSQL, and opens services: 54 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

/** Seconds. */
const lasts = { code: 60, access: 120, refresh: 600, grant: 630, leeway: 10, retry: 30 } as const;

const clients = { web: 0, 'web-retry': lasts.retry } as const;
type ClientId = keyof typeof clients;

interface Link {
  readonly refresh: string;
  readonly access: string;
  readonly issuedAt: number;
  readonly usedAt: number | undefined;
  /** What was requested when it was used. */
  readonly asked: string;
}

/** A code and the family of tokens from it. */
interface Family {
  readonly client: ClientId;
  readonly failures: number;
  /** When the code was redeemed. */
  readonly redeemedAt: number | undefined;
  readonly revoked: boolean;
  /** In order of creation. Only the last one may be unused. */
  readonly chain: readonly Link[];
}

type Families = Readonly<Record<string, Family>>;

/** `tokens`: new ones; `again`: the previous ones again. */
type Seen =
  | { readonly kind: 'tokens'; readonly refresh: string; readonly access: string }
  | { readonly kind: 'refused' | 'revoked' | 'alive' | 'dead' };

interface Step {
  readonly told: string;
  readonly name: string;
  /** Undefined: this answer is impossible. */
  model(of: Family, seen: Seen, clock: number): Family | undefined;
  run(scene: Scene): Promise<Seen>;
}

interface Scene {
  readonly opened: OpenService;
  readonly clock: SettableClock;
  readonly codes: Readonly<Record<string, string>>;
}

/** A step of the generator, before it is known which tokens exist. */
type Plan = (families: Families) => Step;

/** Lets a failure say what was planned. */
function saying(text: string, plan: Plan): Plan {
  return Object.assign(plan, { [fc.toStringMethod]: () => text });
}

const ended = (of: Family, clock: number) => of.redeemedAt !== undefined && clock >= of.redeemedAt + lasts.grant;

function refusedWith(of: Family, seen: Seen): Family | undefined {
  return seen.kind === 'refused' ? of : undefined;
}

function linked(of: Family, seen: Seen, clock: number): Family | undefined {
  const known = of.chain.some(({ refresh }) => seen.kind === 'tokens' && refresh === seen.refresh);
  if (seen.kind !== 'tokens' || known) return undefined;
  const { refresh, access } = seen;
  return { ...of, chain: [...of.chain, { refresh, access, issuedAt: clock, usedAt: undefined, asked: '' }] };
}

const wrongs = ['nothing', 'the client', 'the verifier', 'the address'] as const;
type Wrong = (typeof wrongs)[number];

function redeem(name: string, wrong: Wrong): Plan {
  return saying(`redeem ${name}, ${wrong} wrong`, (families) => ({
    told: `redeem ${name}, ${wrong} wrong`,
    name,
    model(of, seen, clock) {
      const isOver = clock >= lasts.code;
      if (of.redeemedAt !== undefined) {
        const replayed = wrong === 'nothing' && !ended(of, clock);
        return refusedWith(replayed ? { ...of, revoked: true } : of, seen);
      }
      if (isOver) return refusedWith(of, seen);
      if (wrong !== 'nothing') return refusedWith({ ...of, failures: of.failures + 1 }, seen);
      if (of.failures >= 5) return refusedWith(of, seen);
      return linked({ ...of, redeemedAt: clock }, seen, clock);
    },
    run: (scene) =>
      handle(scene, 'authorization_code', clientOf(families, name, wrong === 'the client'), {
        code: scene.codes[name] ?? '',
        redirect_uri: wrong === 'the address' ? `${callback}/` : callback,
        code_verifier: wrong === 'the verifier' ? `${verifier}x` : verifier,
      }),
  }));
}

function clientOf(families: Families, name: string, isOther: boolean): ClientId {
  const own = families[name]?.client ?? 'web';
  if (!isOther) return own;
  return own === 'web' ? 'web-retry' : 'web';
}

/** `back`: 0 is the newest token of the family, 1 the one before it. */
function refresh(name: string, { back, isOther, scope }: { back: number; isOther: boolean; scope: string }): Plan {
  return saying(`refresh ${name} ${back} back${isOther ? ', by another client' : ''} ${scope}`, (families) => {
    const chain = families[name]?.chain ?? [];
    const token = chain.at(-1 - back)?.refresh ?? makeOpaqueToken(tokenPrefixes.refreshToken);
    const index = chain.findIndex((link) => link.refresh === token);
    return {
      told: `refresh ${name} with token ${index} of ${chain.length}${isOther ? ', by another client' : ''} ${scope}`,
      name,
      model: (of, seen, clock) => refreshed(of, { index, isOther, scope }, seen, clock),
      run: (scene) =>
        handle(scene, 'refresh_token', clientOf(families, name, isOther), { refresh_token: token, scope }),
    };
  });
}

function refreshed(
  of: Family,
  { index, isOther, scope }: { index: number; isOther: boolean; scope: string },
  seen: Seen,
  clock: number,
): Family | undefined {
  const link = of.chain[index];
  if (link === undefined || isOther || of.revoked || ended(of, clock)) return refusedWith(of, seen);
  if (link.usedAt !== undefined) return usedBefore(of, { index, usedAt: link.usedAt, scope }, seen, clock);
  if (clock >= link.issuedAt + lasts.refresh) return refusedWith(of, seen);
  return linked({ ...of, chain: of.chain.with(index, { ...link, usedAt: clock, asked: scope }) }, seen, clock);
}

function usedBefore(
  of: Family,
  { index, usedAt, scope }: { index: number; usedAt: number; scope: string },
  seen: Seen,
  clock: number,
): Family | undefined {
  const successor = of.chain[index + 1];
  const mayRepeat = clock - usedAt <= clients[of.client] && clients[of.client] > 0 && successor?.usedAt === undefined;
  if (mayRepeat && of.chain[index]?.asked === scope) {
    const isSame = seen.kind === 'tokens' && seen.refresh === successor?.refresh && seen.access === successor.access;
    return isSame ? of : undefined;
  }
  return refusedWith(clock - usedAt <= lasts.leeway ? of : { ...of, revoked: true }, seen);
}

/** RFC 7009, with any token of the family. */
function revoke(name: string, back: number): Plan {
  return saying(`revoke ${name}`, (families) => {
    const token = families[name]?.chain.at(-1 - back)?.refresh;
    return {
      told: `revoke ${name}`,
      name,
      model: (of, seen) =>
        seen.kind === 'revoked' ? { ...of, revoked: of.revoked || token !== undefined } : undefined,
      async run({ opened: { service }, clock }) {
        const claim = { hash: sha256(token ?? ''), clientId: clientOf(families, name, false), now: seconds(clock) };
        await service.records.revokeRefreshToken(claim);
        return { kind: 'revoked' };
      },
    };
  });
}

function look(name: string, back: number): Plan {
  return saying(`look at the access token of ${name} ${back} back`, (families) => {
    const chain = families[name]?.chain ?? [];
    const access = chain.at(-1 - back)?.access ?? 'none';
    return {
      told: `look at access token ${chain.length - 1 - back} of ${name}`,
      name,
      model(of, seen, clock) {
        const link = of.chain.find((each) => each.access === access);
        const end = Math.min((link?.issuedAt ?? 0) + lasts.access, (of.redeemedAt ?? 0) + lasts.grant);
        const lives = link !== undefined && !of.revoked && clock < end;
        return seen.kind === (lives ? 'alive' : 'dead') ? of : undefined;
      },
      async run({ opened: { service }, clock }) {
        const found = await service.records.findAccessToken(sha256(access), seconds(clock));
        return { kind: found === undefined ? 'dead' : 'alive' };
      },
    };
  });
}

const seconds = (clock: SettableClock) => Math.floor(clock.now() / 1000);

const silent = buildLog({ level: 'silent' as 'fatal', format: 'json' }, collector().sink);

async function handle(
  { opened: { service } }: Scene,
  type: string,
  clientId: string,
  form: Record<string, string>,
): Promise<Seen> {
  const client = await service.clients.find(clientId);
  const grant = grants.get(type) as Grant;
  if (client === undefined) throw new Error(clientId);
  const parameters = parseOAuthParameters(new URLSearchParams(form).toString(), service.config.compat);
  try {
    const caller = { ip: '127.0.0.1', id: 'model', log: silent };
    return tokensIn(await grant.handle({ client, parameters, caller }, service));
  } catch (error) {
    if (error instanceof OAuthError && error.body().error === 'invalid_grant') return { kind: 'refused' };
    throw error;
  }
}

function tokensIn({ refresh_token = '', access_token }: TokenResponse): Seen {
  return { kind: 'tokens', refresh: refresh_token, access: access_token };
}

const names = ['a', 'b'] as const;
const name = fc.constantFrom('a', 'a', 'a', 'b');
const back = fc.constantFrom(0, 0, 0, 1, 1, 2);

const plan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 2, arbitrary: name.map((each) => redeem(each, 'nothing')) },
  { weight: 1, arbitrary: fc.tuple(name, fc.constantFrom(...wrongs)).map((of) => redeem(...of)) },
  {
    weight: 8,
    arbitrary: fc
      .record({
        name,
        back,
        isOther: fc.constantFrom(false, false, false, false, true),
        scope: fc.constantFrom('', '', 'orders.read'),
      })
      .map(({ name, ...how }) => refresh(name, how)),
  },
  { weight: 1, arbitrary: fc.tuple(name, back).map((of) => revoke(...of)) },
  { weight: 3, arbitrary: fc.tuple(name, back).map((of) => look(...of)) },
);

/** What runs at once, and the seconds that pass before it: at and near every time limit. */
const moment = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  pause: fc.constantFrom(0, 0, 0, 0, 1, 9, 10, 10, 11, 20, 30, 31, 59, 119, 599),
});

/** A client that guesses until the code is destroyed, or until one guess before that. */
const guessing = fc
  .tuple(name, fc.constantFrom(4, 5), fc.constantFrom(...wrongs.slice(1)))
  .map(([name, times, wrong]) => [{ plans: Array.from({ length: times }, () => redeem(name, wrong)), pause: 0 }]);

/** A client that repeats a token whose successor was used, or was not used. */
const again = (name: string, back: number, pause: number) => ({
  plans: [refresh(name, { back, isOther: false, scope: '' })],
  pause,
});
const replaying = fc
  .tuple(name, fc.constantFrom(1, 2), fc.constantFrom(0, 10, 11))
  .map(([name, back, pause]) => [again(name, 0, 0), again(name, 0, 1), again(name, back, pause)]);

interface Known {
  readonly family: Families;
}

/** Every state that explains the answers: some order of the steps, one after the other, gives exactly these answers. */
function explanations({ family }: Known, steps: readonly (readonly [Step, Seen])[], clock: number): Known[] {
  if (steps.length === 0) return [{ family }];
  return steps.flatMap(([step, seen], index) => {
    const after = step.model(family[step.name] as Family, seen, clock);
    if (after === undefined) return [];
    return explanations({ family: { ...family, [step.name]: after } }, steps.toSpliced(index, 1), clock);
  });
}

function distinct(all: readonly Known[]): Known[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/** The end of every history: a family that did not end always has one token that works. */
const finale: readonly Plan[] = names.flatMap((each) => [
  look(each, 0),
  refresh(each, { back: 0, isOther: false, scope: '' }),
]);

const history: fc.Arbitrary<History> = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: moment.map((each) => [each]) },
      { weight: 1, arbitrary: guessing },
      { weight: 1, arbitrary: replaying },
    ),
    { minLength: 1, maxLength: 14, size: 'max' },
  )
  .map((parts) => parts.flat());

type History = readonly { readonly plans: readonly Plan[]; readonly pause: number }[];

async function live(
  scene: Scene,
  history: History,
  started: Families,
  atOnce: (all: Promise<Seen>[]) => Promise<Seen[]>,
) {
  const began = seconds(scene.clock);
  const wins = new Map<string, number>();
  let possible: Known[] = [{ family: started }];
  for (const { plans, pause } of [...history, ...finale.map((each) => ({ plans: [each], pause: 0 }))]) {
    scene.clock.advance(pause * 1000);
    const clock = seconds(scene.clock) - began;
    const families = possible[0]?.family ?? started;
    const steps = plans.map((each) => each(families));
    const outcomes = await atOnce(steps.map((step) => step.run(scene)));
    const seen = steps.map((step, index) => [step, outcomes[index] as Seen] as const);
    for (const [{ told, name }, { kind }] of seen)
      if (told.startsWith('redeem') && kind === 'tokens') wins.set(name, (wins.get(name) ?? 0) + 1);
    for (const [name, count] of wins) if (count > 1) throw new Error(`the code of ${name} was redeemed ${count} times`);
    possible = distinct(possible.flatMap((known) => explanations(known, seen, clock)));
    if (possible.length === 0) throw new Error(unexplained(seen, clock));
  }
}

function unexplained(seen: readonly (readonly [Step, Seen])[], clock: number): string {
  const all = seen.map(([{ told }, { kind }]) => `${told} → ${kind}`).join('; ');
  return `no order explains, ${clock} s after the start: ${all}`;
}

/** The store, where every verb waits for its turn before it runs and before its result is known. */
function inTurns(records: Records, turn: (verb: string) => Promise<void>): Records {
  return new Proxy(records, {
    get(target, verb: keyof Records) {
      const carryOut = target[verb] as (...args: never[]) => unknown;
      if (verb === 'watchEvents' || verb === 'close') return carryOut;
      return async (...args: never[]) => {
        await turn(`${verb} begins`);
        const outcome = await carryOut(...args);
        await turn(`${verb} is answered`);
        return outcome;
      };
    },
  });
}

async function histories(t: Test, store: Records, { numRuns }: ReturnType<typeof tries>): Promise<void> {
  const clock = settableClock(1_800_000_000_000);
  let turn: (verb: string) => Promise<void> = async () => {};
  const config = configuration();
  const { tokens } = config;
  const opened = await openService(
    {
      ...config,
      tokens: {
        ...tokens,
        access: { ...tokens.access, ttl: lasts.access * 1000 },
        refresh: {
          ...tokens.refresh,
          ttl: lasts.refresh * 1000,
          absolute_ttl: lasts.grant * 1000,
          reuse_leeway: lasts.leeway * 1000,
        },
      },
    },
    { directory: temporaryFolder(t), log: silent, clock, records: inTurns(store, (verb) => turn(verb)) },
  );
  t.teardown(() => opened.close());
  const property = fc.asyncProperty(
    history,
    fc.constantFrom(true, true, true, false),
    fc.tuple(fc.constantFrom<ClientId>('web', 'web-retry'), fc.constantFrom<ClientId>('web', 'web-retry')),
    fc.scheduler(),
    async (history, isRedeemed, owners, scheduler) => {
      turn = async () => {};
      const codes: Record<string, string> = {};
      for (const [index, name] of names.entries()) {
        codes[name] = makeOpaqueToken(tokenPrefixes.code);
        const record = codeRecord(codes[name], seconds(clock), {
          clientId: owners[index] as ClientId,
          scope: 'orders.read orders.write',
          expiresAt: seconds(clock) + lasts.code,
        });
        await opened.service.records.saveCode({ code: record, consent: undefined, transaction: undefined });
      }
      const started = Object.fromEntries(
        names.map((name, index) => [
          name,
          { client: owners[index] as ClientId, failures: 0, redeemedAt: undefined, revoked: false, chain: [] },
        ]),
      );
      const first = { plans: names.map((each) => redeem(each, 'nothing')), pause: 0 };
      turn = (verb) => scheduler.schedule(Promise.resolve(), verb);
      await live({ opened, clock, codes }, isRedeemed ? [first, ...history] : history, started, (all) =>
        scheduler.waitFor(Promise.all(all)),
      );
    },
  );
  await fc.assert(property, { numRuns });
  t.pass(`${numRuns} histories`);
}

const TITLE = 'simultaneous requests, with their steps in any order, act as if one came after the other';

t.test(`sqlite: ${TITLE}`, async (t) => {
  const clock = settableClock(1_800_000_000_000);
  await histories(t, await openRecords('sqlite::memory:', { directory: '/', clock }), tries(25, 750));
});

t.test(`postgres: ${TITLE}`, { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
  const clock = settableClock(1_800_000_000_000);
  const url = await server.database();
  await histories(t, await openRecords(url, { directory: '/', clock, encryptionKeys }), tries(4, 75));
});

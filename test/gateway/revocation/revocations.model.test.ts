import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import t from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import type { Verification, VerifyBearer } from '../../../src/gateway/message/identity.ts';
import type { FeedSink, RevocationEvent } from '../../../src/gateway/revocation/events.ts';
import type { OnStale } from '../../../src/gateway/revocation/revocations.ts';
import type { Fetched, JsonRequest } from '../../../src/gateway/server-client/fetch-json.ts';
import type { RemoteServer } from '../../../src/gateway/verify/remote-server.ts';
import { buildVerifiers } from '../../../src/gateway/verify/verifiers.ts';
import { subjectHash } from '../../../src/oauth/user-key.ts';
import fc, { tries } from '../../support/properties.ts';
import { type SettableClock, settableClock } from '../../support/settable-clock.ts';
import { inAWord, settings } from '../issuer.ts';

// The gateway's whole way from a token to a verdict, with a server and its feed that only just keep their promises:
// events arrive late, out of order and twice, the connection is cut, the server forgets what has expired, and answers
// are overtaken.

/** Thousands of histories: 66 s in .ci/run on a busy machine. */
t.setTimeout(1_800_000);

const ISSUER = 'https://auth.example.com';
/** Seconds. */
const LIFETIME = 600;
const SKEW = 30;
const MAX_STALENESS = 60;
/** How long the feed still sends an event after its tokens have expired. */
const RETAINED = 300;

const users = ['alice', 'bob'] as const;
const clients = ['shop', 'app'] as const;
type User = (typeof users)[number];

interface UserKey {
  readonly kid: string;
  readonly key: CryptoKey;
  readonly jwk: JWK;
}

async function newKey(kid: string): Promise<UserKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

const POOL = 24;
const pool = await Promise.all(Array.from({ length: POOL }, (_, index) => newKey(String(index).padStart(22, 'k'))));
/** The issuer's own, which signs for all. */
const published = await newKey('of the issuer');

type Form = 'by the key of the user' | 'by the key of the issuer' | 'opaque';

interface Token {
  readonly text: string;
  readonly jwt: boolean;
  readonly kid: string | undefined;
  readonly sub: User;
  readonly client: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly gid: string;
  readonly sid: string | undefined;
}

/** How each kind of event names a token. */
const names: Record<RevocationEvent['kind'], (token: Token, event: RevocationEvent) => boolean> = {
  kid: ({ kid }, { key }) => kid === key,
  jti: ({ jti }, { key }) => jti === key,
  gid: ({ gid }, { key }) => gid === key,
  sid: ({ sid }, { key }) => sid === key,
  token_hash: ({ text }, { key }) => hashOf(text) === key,
  sub_nbf: ({ sub, iat }, { key, nbf = 0 }) => sub === key && iat < nbf,
  sessionless_nbf: ({ sub, sid, iat }, { key, nbf = 0 }) => sid === undefined && sub === key && iat < nbf,
  client_nbf: ({ client, iat }, { key, nbf = 0 }) => client === key && iat < nbf,
};

const hashOf = (text: string) => sha256(text).toString('base64url');
const isNamed = (token: Token, events: Iterable<RevocationEvent>) =>
  [...events].some((event) => names[event.kind](token, event));

/** An authorization server with its feed, as far as a gateway can see. */
class Server {
  readonly clock: SettableClock;
  /** With the second in which it was sent. */
  readonly log: { readonly event: RevocationEvent; readonly at: number }[] = [];
  /** The events of the log that the gateway got. */
  readonly told = new Set<RevocationEvent>();
  /** Events that are never sent: the server was restored from an earlier backup. */
  readonly lost = new Set<RevocationEvent>();
  readonly tokens: Token[] = [];
  readonly #current = new Map<User, UserKey>();
  readonly #published = new Map<string, User>();
  #nextKey = 0;
  isDown = false;
  /** An answer that it did not send may still be on its way. */
  wasDown = false;
  isLinked = true;
  /** When the feed was last up to date, and when it was first reached. */
  beatAt: number | undefined;

  constructor(clock: SettableClock) {
    this.clock = clock;
    for (const user of users) this.#renew(user);
  }

  now(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  #renew(user: User): void {
    const next = pool[this.#nextKey++] as UserKey;
    this.#current.set(user, next);
    this.#published.set(next.kid, user);
  }

  async issue(sub: User, client: string, form: Form): Promise<void> {
    await this.#make({ sub, client, form }, form === 'by the key of the issuer' ? published : this.#keyOfUser(sub));
  }

  /** A holder of a rotated key keeps using it. */
  async forge(sub: User, pick: number): Promise<void> {
    const old = this.log.filter(({ event }) => event.kind === 'kid');
    const kid = old[pick % Math.max(1, old.length)]?.event.key;
    const key = pool.find((each) => each.kid === kid);
    if (key !== undefined) await this.#make({ sub, client: clients[0], form: 'by the key of the user' }, key);
  }

  #keyOfUser(user: User): UserKey {
    return this.#current.get(user) as UserKey;
  }

  async #make(
    { sub, client, form }: { readonly sub: User; readonly client: string; readonly form: Form },
    { kid, key }: UserKey,
  ): Promise<void> {
    const jwt = form !== 'opaque';
    const iat = this.now();
    const index = this.tokens.length;
    const more = { jti: `j${index}`, gid: this.#liveGrant(`g${index % 5}`), sid: undefined };
    const claims = { iss: ISSUER, sub, client_id: client, iat, exp: iat + LIFETIME, ...more };
    const text = jwt
      ? await new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
          .sign(key)
      : `opaque-${index}`;
    const { exp, jti, gid, sid } = claims;
    this.tokens.push({ text, jwt, kid: jwt ? kid : undefined, sub, client, iat, exp, jti, gid, sid });
  }

  /** A revoked grant gives no more tokens. */
  #liveGrant(gid: string): string {
    return this.log.some(({ event }) => event.kind === 'gid' && event.key === gid) ? this.#liveGrant(`${gid}+`) : gid;
  }

  revoke(event: Pick<RevocationEvent, 'kind' | 'key' | 'nbf'>): void {
    this.log.push({ event: { ...event, until: this.now() + LIFETIME }, at: this.now() });
  }

  rotate(user: User): void {
    const { kid } = this.#current.get(user) as UserKey;
    if (this.#nextKey === POOL) return;
    this.#published.delete(kid);
    this.#renew(user);
    this.revoke({ kind: 'kid', key: kid });
  }

  /** When the token was revoked; Infinity: it was not. */
  revokedAt(token: Token): number {
    return Math.min(...this.log.filter(({ event }) => names[event.kind](token, event)).map(({ at }) => at), Infinity);
  }

  answer({ url, form }: JsonRequest): Fetched {
    this.wasDown ||= this.isDown;
    if (this.isDown) return { kind: 'failed', detail: 'down' };
    return url.includes('/keys/') ? this.#keyOf(url) : this.#introspect(form?.get('token') ?? '');
  }

  #keyOf(url: string): Fetched {
    const kid = url.slice(url.lastIndexOf('/') + 1);
    const user = this.#published.get(kid);
    if (user === undefined) return { kind: 'failed', detail: 'status 404', status: 404 };
    const jwk = { ...pool.find((key) => key.kid === kid)?.jwk, sub_hash: subjectHash(ISSUER, user) };
    return { kind: 'json', value: { keys: [jwk] }, maxAge: 30 };
  }

  #introspect(text: string): Fetched {
    const token = this.tokens.find((each) => each.text === text);
    if (token === undefined || this.now() >= token.exp || this.revokedAt(token) !== Infinity)
      return { kind: 'json', value: { active: false } };
    const { sub, client, iat, exp, jti, gid } = token;
    return { kind: 'json', value: { active: true, iss: ISSUER, sub, client_id: client, iat, exp, jti, gid } };
  }

  /** Events that are due and can still be sent. */
  due(): RevocationEvent[] {
    return this.log
      .map(({ event }) => event)
      .filter((event) => !this.told.has(event) && !this.lost.has(event) && this.now() < event.until + RETAINED);
  }
}

interface Scene {
  readonly server: Server;
  readonly clock: SettableClock;
  readonly say: FeedSink;
  readonly verify: VerifyBearer;
  readonly scheduler: fc.Scheduler;
  /** What went wrong, for each token that was presented and not yet answered. */
  readonly pending: Promise<Error | undefined>[];
  /** Seconds since all answers had arrived. */
  waited: number;
  readonly onStale: OnStale;
}

type Action = (scene: Scene) => Promise<void> | void;

function saying(text: string, action: Action): Action {
  return Object.assign(action, { [fc.toStringMethod]: () => text });
}

const deliver = (scene: Scene, event: RevocationEvent) => {
  scene.server.told.add(event);
  scene.say({ kind: 'event', event });
};

function beat({ server, say }: Scene): void {
  if (!server.isLinked || server.due().length > 0) return;
  server.beatAt = server.clock.now();
  say({ kind: 'in_step' });
}

/**
 * The server reports the reader's position: an event that is gone and unread is a gap, unless the reader had read
 * nothing yet.
 */
function relink({ server, say }: Scene): void {
  if (server.isLinked) return;
  server.isLinked = true;
  const { log, told, lost } = server;
  const isOver = ({ until }: RevocationEvent) => server.now() >= until + RETAINED;
  const isGap = log.some(({ event }) => !told.has(event) && !lost.has(event) && isOver(event));
  if (isGap && told.size > 0) say({ kind: 'reset' });
}

function present(scene: Scene, token: Token): void {
  const { server } = scene;
  const begun = {
    at: scene.clock.now() / 1000,
    told: isNamed(token, server.told),
    stale: isStale(scene),
    down: server.wasDown,
  };
  const judge = async () => {
    const verdict = await scene.verify(token.text);
    mustNotPass(scene, token, { verdict, begun: begun.at });
    const isQuiet = !begun.told && !begun.stale && !begun.down && !isStale(scene) && !server.wasDown;
    if (isQuiet) mustPass(scene, token, verdict);
  };
  scene.pending.push(
    judge().then(
      () => undefined,
      (error: Error) => error,
    ),
  );
}

const isStale = ({ server, clock }: Scene) =>
  server.beatAt === undefined || clock.now() - server.beatAt >= MAX_STALENESS * 1000;

/** Whether a gateway can still learn of it although the event is lost: by introspection, or by fetching the key. */
const canBeAsked = (token: Token, { kind }: RevocationEvent) => !token.jwt || kind === 'kid';

function mustNotPass(
  { server, clock, onStale }: Scene,
  token: Token,
  { verdict, begun }: { readonly verdict: Verification; readonly begun: number },
): void {
  if (verdict.kind !== 'verified') return;
  const now = clock.now() / 1000;
  if (begun >= token.exp + (token.jwt ? SKEW : 0)) throw new Error(`${token.text}: expired, and ${inAWord(verdict)}`);
  const revoking = server.log
    .filter(({ event }) => names[event.kind](token, event))
    .filter(({ event }) => !server.lost.has(event) || canBeAsked(token, event));
  const known = revoking.find(({ event }) => server.told.has(event) || server.lost.has(event));
  if (known !== undefined)
    throw new Error(`${token.text}: known to be revoked (${known.event.kind}), and ${inAWord(verdict)}`);
  const revokedFor = now - Math.min(...revoking.map(({ at }) => at), Infinity);
  if (onStale !== 'allow' && revokedFor >= MAX_STALENESS + 1)
    throw new Error(`${token.text}: revoked for ${revokedFor} s, told by nobody, and ${inAWord(verdict)}`);
}

function mustPass({ server, clock }: Scene, token: Token, verdict: Verification): void {
  const isGood = server.revokedAt(token) === Infinity && clock.now() / 1000 < token.exp;
  if (isGood && verdict.kind !== 'verified') throw new Error(`${token.text}: good, and ${inAWord(verdict)}`);
}

async function settle(scene: Scene): Promise<void> {
  const errors = await scene.scheduler.waitFor(Promise.all(scene.pending.splice(0)));
  scene.server.wasDown = false;
  scene.waited = 0;
  for (const error of errors) if (error !== undefined) throw error;
}

/** Answers on their way arrive within the deadline of a call, however far the clock moves. */
async function pass(scene: Scene, seconds: number): Promise<void> {
  if (scene.waited + seconds > 4) await settle(scene);
  scene.waited += seconds;
  scene.clock.advance(seconds * 1000);
  // However long that is, cached entries are checked once a second, and none is kept longer than this.
  mock.timers.tick(Math.min(seconds, 25) * 1000);
}

function tellAll(scene: Scene): void {
  if (scene.server.isLinked) for (const event of scene.server.due()) deliver(scene, event);
  beat(scene);
}

async function quarterInStep(scene: Scene): Promise<void> {
  for (let time = 0; time < 20; time++) {
    await pass(scene, 50);
    tellAll(scene);
  }
}

/** A user's key is fetched for a token and rotated, and `meanwhile` happens. Then a thief uses it. */
async function theft(scene: Scene, user: User, meanwhile: (scene: Scene) => Promise<void>): Promise<void> {
  const { server } = scene;
  await server.issue(user, 'shop', 'by the key of the user');
  for (const token of server.tokens.slice(-1)) present(scene, token);
  await settle(scene);
  const rotations = server.log.filter(({ event }) => event.kind === 'kid').length;
  server.rotate(user);
  await meanwhile(scene);
  await server.forge(user, rotations);
  for (const token of server.tokens.slice(-1)) present(scene, token);
}

/** What is cached about a token that its server has ended since, without an event. */
async function silence(scene: Scene, user: User, form: Form): Promise<void> {
  const { server } = scene;
  tellAll(scene);
  await server.issue(user, 'shop', form);
  const [token] = server.tokens.slice(-1);
  if (token === undefined) return;
  present(scene, token);
  await settle(scene);
  server.revoke({ kind: 'jti', key: token.jti });
  await pass(scene, MAX_STALENESS + 1);
  present(scene, token);
}

async function longCut(scene: Scene): Promise<void> {
  scene.server.isLinked = false;
  scene.say({ kind: 'lost' });
  await pass(scene, 1000);
  relink(scene);
  tellAll(scene);
}

const pick = fc.nat(1000);
const revocation = fc.oneof(
  pick.map((each) => (tokens: readonly Token[]) => ({
    kind: 'jti' as const,
    key: tokens[each % tokens.length]?.jti ?? '-',
  })),
  pick.map((each) => (tokens: readonly Token[]) => ({
    kind: 'gid' as const,
    key: tokens[each % tokens.length]?.gid ?? '-',
  })),
  pick.map((each) => (tokens: readonly Token[]) => ({
    kind: 'token_hash' as const,
    key: hashOf(tokens[each % tokens.length]?.text ?? ''),
  })),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...users),
        fc.constantFrom(...clients),
        fc.constantFrom<Form>('by the key of the user', 'by the key of the user', 'by the key of the issuer', 'opaque'),
      )
      .map(([user, client, form]) =>
        saying(`issue for ${user} to ${client}, ${form}`, ({ server }) => server.issue(user, client, form)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...users), pick)
      .map(([user, each]) => saying(`forge one of ${user} with key ${each}`, ({ server }) => server.forge(user, each))),
  },
  {
    weight: 5,
    arbitrary: pick.map((each) =>
      saying(`present ${each}`, (scene) => {
        const { tokens } = scene.server;
        for (const token of tokens.slice(each % Math.max(1, tokens.length)).slice(0, 1)) present(scene, token);
      }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constant(
      saying('present all', (scene) => {
        for (const token of scene.server.tokens) present(scene, token);
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      saying('be restored from a copy', ({ server, say }) => {
        if (!server.isLinked) return;
        for (const event of server.due()) server.lost.add(event);
        say({ kind: 'reset' });
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(saying('a quarter of an hour in step', quarterInStep)),
  },
  {
    weight: 3,
    arbitrary: revocation.map((make) => saying('revoke one', ({ server }) => server.revoke(make(server.tokens)))),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...users)
      .map((key) =>
        saying(`cut off ${key}`, ({ server }) => server.revoke({ kind: 'sub_nbf', key, nbf: server.now() })),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...clients)
      .map((key) =>
        saying(`cut off ${key}`, ({ server }) => server.revoke({ kind: 'client_nbf', key, nbf: server.now() })),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...users).map((key) => saying(`rotate ${key}`, ({ server }) => server.rotate(key))),
  },
  {
    weight: 6,
    arbitrary: pick.map((each) =>
      saying(`tell ${each}`, (scene) => {
        const due = scene.server.due();
        const event = due[each % Math.max(1, due.length)];
        if (scene.server.isLinked && event !== undefined) deliver(scene, event);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: pick.map((each) =>
      saying(`tell ${each} again`, (scene) => {
        const told = [...scene.server.told];
        const event = told[each % Math.max(1, told.length)];
        if (scene.server.isLinked && event !== undefined) deliver(scene, event);
      }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constant(saying('tell all, and be in step', tellAll)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...users),
        fc.constantFrom<Form>('by the key of the user', 'by the key of the issuer', 'opaque'),
      )
      .map(([user, form]) => saying(`silence after ${user}, ${form}`, (scene) => silence(scene, user, form))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...users), fc.constantFrom(quarterInStep, longCut))
      .map(([user, meanwhile]) =>
        saying(`theft of ${user}: ${meanwhile.name}`, (scene) => theft(scene, user, meanwhile)),
      ),
  },
  { weight: 3, arbitrary: fc.constant(saying('a comment', beat)) },
  {
    weight: 1,
    arbitrary: fc.constant(
      saying('cut the link', ({ server, say }) => {
        server.isLinked = false;
        say({ kind: 'lost' });
      }),
    ),
  },
  { weight: 2, arbitrary: fc.constant(saying('link again', relink)) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((isDown) =>
      saying(isDown ? 'server down' : 'server up', ({ server }) => {
        server.isDown = isDown;
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(0.5, 1, 4, 29, 31, 59, 61, 301, 599, 640, 1000)
      .map((seconds) => saying(`${seconds} s pass`, (scene) => pass(scene, seconds))),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      saying('one answer comes', ({ scheduler }) => (scheduler.count() > 0 ? scheduler.waitOne() : undefined)),
    ),
  },
  { weight: 3, arbitrary: fc.constant(saying('all answers come', settle)) },
);

const silent = { info() {}, warn() {}, error() {} };

function openGateway(clock: SettableClock, server: Server, scheduler: fc.Scheduler, onStale: OnStale) {
  let say: FeedSink = () => {};
  const remote: RemoteServer = {
    id: 'main',
    async fetch(request) {
      const answer = server.answer(request);
      await scheduler.schedule(Promise.resolve(), request.url);
      return answer;
    },
    about: { endpoint: async () => `${ISSUER}/introspect`, optional: async () => undefined },
    keys: { load: async () => ({ kind: 'json', value: { keys: [published.jwk] } }), every: 2 ** 30 },
    feed: (sink) => {
      say = sink;
      return { start() {}, close() {} };
    },
  };
  const changes = {
    algorithms: ['ES256' as const],
    events: `${ISSUER}/events`,
    user_key_uri_template: `${ISSUER}/keys/{kid}`,
    introspection_endpoint: `${ISSUER}/introspect`,
    max_staleness: MAX_STALENESS * 1000,
    clock_skew: SKEW * 1000,
    on_stale: onStale,
    jwks: { ttl: 2 ** 40, stale_if_error: 0 },
  };
  const verifiers = buildVerifiers(
    { authorization_servers: { main: settings(ISSUER, changes) }, development: false },
    { clock, log: silent, directory: '.', remote },
  );
  void verifiers.start();
  return { verifiers, say };
}

mock.timers.enable({ apis: ['setInterval'] });
t.teardown(() => mock.timers.reset());

t.test(
  'no token that is known to be revoked is accepted, and no valid one is refused while everything works',
  async (t) => {
    const { numRuns } = tries(300, 2_000);
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }),
      fc.constantFrom<OnStale>('introspect', 'deny', 'allow'),
      fc.scheduler(),
      async (actions, onStale, scheduler) => {
        const clock = settableClock(1_800_000_000_000);
        const server = new Server(clock);
        const { verifiers, say } = openGateway(clock, server, scheduler, onStale);
        const scene: Scene = {
          server,
          clock,
          say,
          verify: verifiers.verifier(['main']),
          scheduler,
          pending: [],
          waited: 0,
          onStale,
        };
        try {
          for (const act of actions) {
            await act(scene);
            // Events arrive over a socket: between two of them, the receiver of a verdict has read it.
            await turn();
          }
          await settle(scene);
        } finally {
          await verifiers.close();
        }
      },
    );
    await fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);

import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Pool } from 'undici';
import { type Figures, lateness } from '../support/lateness.ts';
import { isFullSize } from '../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { random } from '../support/random.ts';
import { connectTo, type RawClient } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { type FleetGateway, gatewayProcess, helloFrame, liveUpstream, serviceProcess, storeOf } from './fleet.ts';
import { type Rotating, type Way, ways } from './rotations.ts';

const sizes = isFullSize
  ? { users: 200, perSecond: 300, rotations: 300, watching: 100, ended: 75 }
  : { users: 20, perSecond: 60, rotations: 12, watching: 8, ended: 5 };

/** Starts PostgreSQL: 125 s in .ci/run on a busy machine. */
t.setTimeout(3_000_000);

const dice = random(200);

const SECOND = 1_000;
/** Milliseconds for which old tokens are presented after the answer of a rotation. */
const PROBED = 2_000;
/** Milliseconds between two of them at one gateway. */
const every = { seen: 20, unseen: 100 };

interface Token {
  readonly text: string;
  /** Its key is being rotated, or was. */
  ends: boolean;
}

interface User {
  readonly name: string;
  token: Token;
  /** Signed with the same key, and never presented before a rotation. */
  unseen: Token;
  busy: boolean;
}

type Say = (gateway: number, token: Token) => Promise<string>;

interface Fleet extends Rotating {
  readonly gateways: readonly FleetGateway[];
  readonly users: readonly User[];
}

/** The gateway's answer for a token: 200, or status and code of the refusal. */
function callers(t: Test, gateways: readonly FleetGateway[]): Say {
  const pools = gateways.map(({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 40 }));
  t.teardown(() => Promise.all(pools.map((pool) => pool.destroy())));
  return async (gateway, { text }) => {
    const headers = { host: 'api.example.com', authorization: `Bearer ${text}` };
    const answer = await (pools[gateway] as Pool).request({ method: 'GET', path: '/orders/1', headers });
    const body = await answer.body.text();
    return answer.statusCode === 200 ? '200' : `${answer.statusCode} ${JSON.parse(body).code}`;
  };
}

async function newTokens({ services }: Fleet, name: string): Promise<Pick<User, 'token' | 'unseen'>> {
  const service = one(services);
  const [token, unseen] = [await service.jwt(name), await service.jwt(name)];
  return { token: { text: token, ends: false }, unseen: { text: unseen, ends: false } };
}

/**
 * Sends the tokens of all users to all gateways, at a rate a second. A refusal of a user without a rotation is a fault.
 */
function load(say: Say, { users, gateways }: Fleet) {
  const faults: string[] = [];
  let [sent, answered] = [0, 0];
  const began = performance.now();
  const send = async () => {
    const [{ token }, gateway] = [one(users), dice.below(gateways.length)];
    const said = await say(gateway, token).catch(String);
    answered++;
    if (said !== '200' && !token.ends) faults.push(said);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * sizes.perSecond;
    for (; sent < due; sent++) void send();
  }, 10);
  return {
    faults,
    rate: () => (answered * 1000) / (performance.now() - began),
    async stop() {
      clearInterval(timer);
      await until(() => answered === sent);
    },
  };
}

interface Presented {
  /** When the last answer 200 arrived, monotonic. */
  accepted: number;
  /** When the first 401 arrived. */
  refused: number;
  /** The last answer. */
  last: string;
  readonly other: Set<string>;
}

/** Presents a token at one gateway repeatedly until it is stopped. */
function present(say: Say, { gateway, token, every }: { gateway: number; token: Token; every: number }) {
  const seen: Presented = {
    accepted: Number.NEGATIVE_INFINITY,
    refused: Number.POSITIVE_INFINITY,
    last: '',
    other: new Set(),
  };
  const underWay = new Set<Promise<void>>();
  const ask = async () => {
    const said = await say(gateway, token).catch(String);
    const now = performance.now();
    if (said === '200') seen.accepted = Math.max(seen.accepted, now);
    else if (said.startsWith('401 token_')) seen.refused = Math.min(seen.refused, now);
    else seen.other.add(said);
    seen.last = said;
  };
  const timer = setInterval(() => {
    const asking = ask().finally(() => underWay.delete(asking));
    underWay.add(asking);
  }, every);
  return {
    hasPassed: () => seen.accepted > 0,
    async stop(): Promise<Presented> {
      clearInterval(timer);
      await Promise.all(underWay);
      await ask();
      return seen;
    },
  };
}

/** From the answer of a rotation, over all gateways. */
interface Ended {
  readonly accepted: Figures;
  readonly refused: Figures;
}

const named = { accepted: 'an old token was accepted last', refused: 'old tokens were seen refused everywhere' };

interface Rotated {
  /** Monotonic: when it was requested, and answered. */
  readonly asked: number;
  readonly answered: number;
}

interface Rotation {
  readonly user: User;
  readonly way: Way;
  readonly beforehand?: () => Promise<void>;
  readonly onAnswer?: () => void;
}

/** Rotates, and immediately gives the user new tokens. */
async function rotate(
  fleet: Fleet,
  { user, way, beforehand = async () => {}, onAnswer = () => {} }: Rotation,
): Promise<Rotated> {
  const act = await ways[way](fleet, user.name, one(fleet.services));
  await beforehand();
  for (const token of [user.token, user.unseen]) token.ends = true;
  const asked = performance.now();
  await act();
  const answered = performance.now();
  onAnswer();
  Object.assign(user, await newTokens(fleet, user.name));
  return { asked, answered };
}

/** A few by command, because each is a separate process; the others by the page and by the verb. */
function wayOf(index: number): Way {
  if (index % 30 === 5) return 'command';
  return index % 3 === 0 ? 'page' : 'verb';
}

function figures(times: readonly number[]) {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99), max: at(1), text: `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms` };
}

/** Of the times beyond the machine's lateness. */
function withinASecond(t: Test, what: string, all: readonly Figures[]): void {
  const beyond = figures(all.map(({ took, late }) => Math.max(0, took - late)));
  const said = `${what}: ${figures(all.map(({ took }) => took)).text}; without what the machine was late: ${beyond.text}`;
  t.ok(beyond.p99 < SECOND, said);
  t.comment(said);
}

const one = <Item>(items: readonly Item[]): Item => dice.pick(items);

async function idle(users: readonly User[]): Promise<User> {
  for (;;) {
    const free = users.filter(({ busy }) => !busy);
    if (free.length > 0) return one(free);
    await pause(10);
  }
}

t.test('two gateways and two services on one PostgreSQL', { skip: skipWithoutPostgres }, async (t) => {
  const server = await postgresServer(t);
  const storage = await server.database();
  const names = Array.from({ length: sizes.users }, (_, index) => `user${index}`);
  const services = [await serviceProcess(t, storage, names), await serviceProcess(t, storage, names)];
  const upstream = await liveUpstream(t);
  const gateways = await Promise.all(services.map((service) => gatewayProcess(t, { upstream, service })));
  const users: User[] = [];
  const fleet: Fleet = { t, services, gateways, users, records: await storeOf(t, storage) };
  for (const name of names) users.push({ name, busy: false, ...(await newTokens(fleet, name)) });
  const say = callers(t, gateways);
  const { between } = await lateness(t);
  for (const { token } of users)
    for (const gateway of gateways.keys()) t.equal(await say(gateway, token), '200', 'before anything');

  t.test(
    `${sizes.rotations} rotations under ${sizes.perSecond} requests a second: the old key is dead within a second on both gateways, and no other user is refused`,
    async (t) => {
      const running = load(say, fleet);
      const rotations: Promise<Ended>[] = [];
      for (let index = 0; index < sizes.rotations; index++) {
        const user = await idle(users);
        user.busy = true;
        rotations.push(timed(t, user, wayOf(index)).finally(() => (user.busy = false)));
        await pause(50 + dice.below(450));
      }
      const ended = await Promise.all(rotations);
      const rate = running.rate();
      await running.stop();
      t.equal(ended.length, sizes.rotations);
      t.strictSame([...new Set(running.faults)], [], `${running.faults.length} of others were refused`);
      for (const name of ['accepted', 'refused'] as const)
        withinASecond(
          t,
          `from the answer of a rotation until ${named[name]}`,
          ended.map((each) => each[name]),
        );
      t.ok(rate > sizes.perSecond * 0.9, `beside ${Math.round(rate)} requests/s of others`);
    },
  );

  /** Presents the old tokens before, at and after the rotation. */
  async function timed(t: Test, user: User, way: Way): Promise<Ended> {
    for (const gateway of gateways.keys()) t.equal(await say(gateway, user.token), '200');
    const { token: seen, unseen } = user;
    const probes: ReturnType<typeof present>[] = [];
    const probe = (token: Token, every: number) => {
      for (const gateway of gateways.keys()) probes.push(present(say, { gateway, token, every }));
    };
    const { answered } = await rotate(fleet, {
      user,
      way,
      async beforehand() {
        probe(seen, every.seen);
        await until(() => probes.every((each) => each.hasPassed()));
      },
      onAnswer: () => probe(unseen, every.unseen),
    });
    const fresh = await Promise.all([...gateways.keys()].map((gateway) => say(gateway, user.token)));
    t.strictSame(
      fresh,
      gateways.map(() => '200'),
      'the new token passes from its first request on',
    );
    await pause(answered + PROBED - performance.now());
    const said = await Promise.all(probes.map((each) => each.stop()));
    t.strictSame([...new Set(said.map(({ last }) => last))], ['401 token_revoked']);
    t.strictSame(
      said.flatMap(({ other }) => [...other]),
      [],
    );
    t.equal(said.filter(({ accepted }) => accepted > 0).length >= gateways.length, true, 'it passed until then');
    return {
      accepted: await between(answered, Math.max(answered, ...said.map(({ accepted }) => accepted))),
      refused: await between(
        answered,
        Math.max(answered, ...said.slice(0, gateways.length).map(({ refused }) => refused)),
      ),
    };
  }

  t.test(
    `open event streams and WebSockets of ${sizes.ended} users end with the key within a second, and no other user's`,
    async (t) => {
      const running = load(say, fleet);
      const watching = users.slice(0, sizes.watching);
      const streams = (await Promise.all(watching.map((user) => openAll(gateways, user)))).flat();
      t.teardown(() => {
        for (const { client } of streams) client.destroy();
      });
      const rotated = new Map<User, Rotated>();
      for (const [index, user] of watching.slice(0, sizes.ended).entries()) {
        await pause(50 + dice.below(300));
        rotated.set(user, await rotate(fleet, { user, way: wayOf(index) }));
      }
      await pause(PROBED);
      await running.stop();
      const ending = streams.filter(({ user }) => rotated.has(user));
      const times = await Promise.all(
        ending.map(({ user, ended }) => {
          const { answered = 0 } = rotated.get(user) ?? {};
          return between(answered, Math.max(answered, ended()));
        }),
      );
      t.ok(
        ending.every(({ user, ended }) => ended() >= (rotated.get(user)?.asked ?? 0)),
        'none before its rotation',
      );
      for (const { client, kind } of ending) t.equal(endOf(client, kind), kind === 'socket' ? 1008 : 'cut');
      upstream.hello();
      const staying = streams.filter(({ user }) => !rotated.has(user));
      t.equal(staying.length, 4 * (sizes.watching - sizes.ended));
      for (const { client, kind } of staying)
        t.ok(await until(() => client.unread.includes(kind === 'socket' ? helloFrame : 'data: hello')), 'goes on');
      t.strictSame([...new Set(running.faults)], [], `${running.faults.length} of others were refused`);
      withinASecond(t, `end of ${times.length} open streams after the answer of the rotation`, times);
    },
  );
});

const upgrade = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
] as const;
const kinds = { events: [], socket: upgrade } as const;
type Kind = keyof typeof kinds;

interface Stream {
  readonly user: User;
  readonly kind: Kind;
  readonly client: RawClient;
  /** Monotonic; NaN while it is open. */
  ended(): number;
}

/** One of each kind through each gateway. */
function openAll(gateways: readonly FleetGateway[], user: User): Promise<Stream[]> {
  const each = (Object.keys(kinds) as Kind[]).flatMap((kind) => gateways.map(({ port }) => ({ kind, port })));
  return Promise.all(each.map(({ kind, port }) => openStream(port, user, kind)));
}

async function openStream(port: number, user: User, kind: Kind): Promise<Stream> {
  const client = await connectTo(port);
  let at = Number.NaN;
  const end = () => {
    if (Number.isNaN(at)) at = performance.now();
  };
  client.socket.once('end', end).once('close', end);
  client.send(requestText({ target: `/live/${kind}`, headers: [bearer(user.token.text), ...kinds[kind]] }));
  if (kind === 'socket') {
    const answer = await client.read();
    if (answer?.status !== 101) throw new Error(`a WebSocket was answered ${answer?.status}`);
  } else if (!(await until(() => client.unread.includes('data: open')))) throw new Error('no event stream');
  return { user, kind, client, ended: () => at };
}

/** The code of the Close frame, or how an event stream ended. */
function endOf({ unread }: RawClient, kind: Kind): number | string {
  if (kind === 'socket') return unread[0] === 0x88 ? unread.readUInt16BE(2) : unread.toString('latin1');
  return unread.includes('\r\n0\r\n') ? 'as if it were whole' : 'cut';
}

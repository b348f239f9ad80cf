import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { seconds, systemClock } from '../../src/base/clock.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { basic } from '../authorization/running-service.ts';
import { openSockets } from '../faults/support/open-sockets.ts';
import { followEvents } from '../support/event-stream.ts';
import { type Lateness, lateness } from '../support/lateness.ts';
import { isFullSize } from '../support/long.ts';
import { highWater, inMiB } from '../support/memory.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { hasAll, reachesLast } from './feed-fleet/delays.ts';
import { type Followers, startFollowers } from './feed-fleet/followers.ts';
import {
  denyMany,
  edge,
  eventsOf,
  type FeedService,
  feedService,
  followAll,
  storeBeside,
} from './feed-fleet/service.ts';

/** `late`: followers that missed `missed` events. `deaf`: followers that do not read. */
const sizes = isFullSize
  ? { followers: 500, late: 300, missed: 10_000, revocations: 100, deaf: 100 }
  : { followers: 50, late: 10, missed: 2_000, revocations: 20, deaf: 20 };
/** Milliseconds between two revocations. */
const PAUSE = 20;

/** Seconds: the life of tokens whose events are removed first, and of all others. */
const [SHORT, LONG] = [60, 3_600];
/** Seconds for which the service keeps an event after its tokens. */
const KEPT = 300;

/** Bytes: the documented limit of data that a follower does not read, and the garbage of a process at work. */
const [UNREAD, GARBAGE] = [2 ** 20, 48 * 2 ** 20];

/** Fills the feed, and opens hundreds of connections: 40 s in .ci/run on a busy machine. */
t.setTimeout(600_000);

const storage = 'sqlite:gatehouse.db';

interface Scene {
  readonly service: FeedService;
  readonly records: Records;
  readonly between: Lateness['between'];
}

async function scene(t: Test): Promise<Scene> {
  const directory = temporaryFolder(t);
  const service = await feedService(t, directory, storage);
  const records = await storeBeside(t, directory, storage);
  return { service, records, between: (await lateness(t)).between };
}

const idsOf = async (records: Records, since = 0) => (await eventsOf(records, since)).map(({ seq }) => seq);

/** Revokes new tokens one after another, and checks when the last follower has each. */
async function revokesInTime(t: Test, { service, between }: Scene, followers: Followers): Promise<void> {
  const answered = new Map<string, number>();
  for (const token of await service.tokens(sizes.revocations)) {
    t.ok(await service.revoke(token));
    answered.set(token, performance.now());
    await pause(PAUSE);
  }
  t.ok(await until(async () => (await followers.heard()).every(({ keys }) => keys.length >= sizes.revocations)));
  await reachesLast(t, 'to the last of the others', { followers, between, answered });
}

t.test(
  `${sizes.late} followers that missed ${sizes.missed} events get all of them in order, and ${sizes.followers} others get new events within a second`,
  async (t) => {
    const at = await scene(t);
    const { service, records } = at;
    await denyMany(records, { name: 'first', count: 1, seconds: SHORT });
    const [cursor = 0] = await idsOf(records);
    await denyMany(records, { name: 'short', count: sizes.missed / 2, seconds: SHORT });
    await denyMany(records, { name: 'long', count: sizes.missed / 2, seconds: LONG });
    const [others, behind] = [await startFollowers(t, 1), await startFollowers(t, 1)];
    const last = (await idsOf(records)).at(-1) ?? 0;
    await followAll(others, [service], sizes.followers, last);
    const [joined, before] = [performance.now(), service.cpu()];
    const cost = async () => {
      const cpu = service.cpu() - before;
      const took = Math.round(performance.now() - joined);
      t.comment(
        `${sizes.late} followers read ${sizes.missed} events each in ${took} ms, with ${Math.round(cpu)} ms of processor`,
      );
    };
    const joining = followAll(behind, [service], sizes.late, cursor).then(cost);
    await revokesInTime(t, at, others);
    await joining;
    await hasAll(t, behind, await idsOf(records, cursor));
    await hasAll(t, others, await idsOf(records, last));

    await t.test('a follower whose cursor is too old gets a reset, and then all kept events', async (t) => {
      await records.sweep(seconds(systemClock) + SHORT + KEPT + 1, sizes.missed);
      const kept = await idsOf(records);
      t.ok(kept.length >= sizes.missed / 2 && kept.length < sizes.missed);
      const follower = await followEvents(`${service.events}?since=${cursor}`, basic(edge));
      const [reset, ...frames] = await follower.first(kept.length + 1);
      t.match(reset, { id: 0, event: 'reset', data: { key: 'cursor_too_old' } });
      t.strictSame(
        frames.map(({ id }) => id),
        kept,
      );
      await follower.inStep();
      t.equal(follower.frames.length, kept.length + 1);
      follower.close();
    });
  },
);

t.test(
  `${sizes.deaf} followers that do not read are closed at 1 MiB of unsent data, and cost no more than this`,
  async (t) => {
    const at = await scene(t);
    const { service, records } = at;
    const readers = await startFollowers(t, 1);
    await followAll(readers, [service], 10);
    const deaf = await startFollowers(t, 1);
    const sockets = openSockets(service.pid);
    await deaf.follow({ urls: [service.events], headers: basic(edge), count: sizes.deaf, cursor: 0, isDeaf: true });
    t.equal(openSockets(service.pid), sockets + sizes.deaf);
    const before = await service.memory();
    const isClosed = () => openSockets(service.pid) <= sockets;
    let sent = 0;
    for (let round = 0; !isClosed() && round < 100; round++) {
      await denyMany(records, { name: `${'x'.repeat(20_000)} ${round}`, count: 20, seconds: LONG });
      sent += 20 * 20_000;
      t.ok(await readers.have((round + 1) * 20));
    }
    t.ok(await until(isClosed), 'the service has closed them');
    const most = highWater(service.pid) * 1024 - before.resident;
    t.comment(
      `after ${inMiB(sent)} MiB: ${inMiB(most)} MiB more at most; resident ${inMiB((await service.memory()).resident - before.resident)}`,
    );
    t.ok(most < sizes.deaf * UNREAD + GARBAGE, `${inMiB(most)} MiB for ${sizes.deaf} followers`);
    await hasAll(t, readers, await idsOf(records));
    t.ok(
      (await readers.states()).every(({ drops }) => drops === 0),
      'the others stay',
    );
  },
);

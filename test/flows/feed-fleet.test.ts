import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { lateness } from '../support/lateness.ts';
import { isFullSize } from '../support/long.ts';
import { inMiB } from '../support/memory.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasAll, keyOf, reachesLast } from './feed-fleet/delays.ts';
import { startFollowers } from './feed-fleet/followers.ts';
import { eventsOf, type FeedService, feedService, followAll, type Memory, storeBeside } from './feed-fleet/service.ts';

/** `paced`: revocations one after another, at the beginning and at the end. `others`: between them, many at once. `idle`: seconds. */
const sizes = isFullSize
  ? { followers: 1_000, paced: 300, others: 2_400, idle: 10 }
  : { followers: 100, paced: 40, others: 320, idle: 1 };
const AT_ONCE = 64;
/** Milliseconds between two paced revocations. */
const PAUSE = 10;
/** Parts of the paced revocations whose processor time counts separately. */
const PARTS = 10;

const storage = 'sqlite:gatehouse.db';

/**
 * Bytes: what the service may use for one follower, and how much more after ten times as many revocations. A copy of each event
 * for each of a thousand followers would be 300 MiB. Garbage makes the resident memory vary.
 */
const most = { follower: 64 * 1024, heap: 8 * 2 ** 20, resident: 128 * 2 ** 20 };
/** The same work later, divided by the same work at the beginning. A cost for each earlier revocation would make it ten. */
const STEADY = 3;

/** A thousand connections and three million events: 60 s in .ci/run on a busy machine. */
t.setTimeout(600_000);

t.test(
  `${sizes.followers} followers of one service: a revocation reaches the last within a second, and ten times as many revocations cost no more each`,
  async (t) => {
    const directory = temporaryFolder(t);
    const service = await feedService(t, directory, storage);
    const followers = await startFollowers(t, 2);
    const { between } = await lateness(t);
    const tokens = await service.tokens(2 * sizes.paced + sizes.others);
    const alone = await service.memory();
    await followAll(followers, [service], sizes.followers);
    const joined = await service.memory();
    const idle = await idleCost(service);
    const answered = new Map<string, number>();
    let revoked = 0;
    const take = (count: number) => {
      revoked += count;
      return tokens.slice(revoked - count, revoked);
    };
    /** Microseconds of the service's processor for each delivered event. */
    const costOf = async (mine: readonly string[], work: () => Promise<unknown>) => {
      const before = service.cpu();
      await work();
      t.ok(await followers.have(revoked));
      return ((service.cpu() - before) * 1000) / mine.length / sizes.followers;
    };
    /** The least of all parts, because other programs only add time. */
    const paced = async () => {
      const costs: number[] = [];
      for (let part = 0; part < PARTS; part++) {
        const mine = take(sizes.paced / PARTS);
        costs.push(await costOf(mine, () => oneByOne(t, service, { tokens: mine, answered })));
      }
      return { cost: Math.min(...costs), revoked, memory: await service.memory() };
    };

    const early = await paced();
    const mine = take(sizes.others);
    const burst = await costOf(mine, () => atOnce(t, service, mine));
    const late = await paced();

    const each = difference(alone, joined, sizes.followers);
    t.comment(`a follower: ${kib(each.heap)} of heap, ${kib(each.resident)} resident`);
    t.comment(`without revocations: ${idle.toFixed(1)} ms of processor a second for all followers`);
    for (const { cost, revoked, memory } of [early, late])
      t.comment(`after ${revoked} revocations: ${inWords(memory)}; ${cost.toFixed(1)} µs for each delivered event`);
    t.comment(`${sizes.others} revocations, ${AT_ONCE} at a time: ${burst.toFixed(1)} µs for each delivered event`);
    t.ok(each.heap < most.follower, `${kib(each.heap)} for each follower`);
    const grown = difference(early.memory, late.memory);
    t.ok(grown.heap < most.heap, `${inMiB(grown.heap)} MiB more heap`);
    t.ok(grown.resident < most.resident, `${inMiB(grown.resident)} MiB more resident memory`);
    t.ok(late.cost <= STEADY * early.cost, `${late.cost} µs, after ${early.cost} µs at the beginning`);
    await reachesLast(t, 'from the answer to the last follower', { followers, between, answered });
    const events = await eventsOf(await storeBeside(t, directory, storage));
    await hasAll(
      t,
      followers,
      events.map(({ seq }) => seq),
    );
    t.strictSame(events.map(({ key }) => key).sort(), tokens.map(keyOf).sort());
  },
);

/** Milliseconds of processor in a second without revocations. */
async function idleCost(service: FeedService): Promise<number> {
  const before = service.cpu();
  await pause(sizes.idle * 1000);
  return (service.cpu() - before) / sizes.idle;
}

interface Work {
  readonly tokens: readonly string[];
  /** Token → when its revocation was answered. */
  readonly answered: Map<string, number>;
}

async function oneByOne(t: Test, service: FeedService, { tokens, answered }: Work): Promise<void> {
  for (const token of tokens) {
    if (!(await service.revoke(token))) t.fail('a revocation was not answered');
    answered.set(token, performance.now());
    await pause(PAUSE);
  }
}

async function atOnce(t: Test, service: FeedService, tokens: readonly string[]): Promise<void> {
  const queue = tokens.values();
  const work = async () => {
    for (const token of queue) if (!(await service.revoke(token))) t.fail('a revocation was not answered');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function difference(before: Memory, after: Memory, parts = 1): Memory {
  return { heap: (after.heap - before.heap) / parts, resident: (after.resident - before.resident) / parts };
}

function inWords({ heap, resident }: Memory): string {
  return `${inMiB(heap)} MiB of heap, ${inMiB(resident)} MiB resident`;
}

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;

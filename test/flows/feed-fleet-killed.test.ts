import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { lateness } from '../support/lateness.ts';
import { isFullSize } from '../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { hasAll, keyOf, reachesLast } from './feed-fleet/delays.ts';
import { type Followers, startFollowers } from './feed-fleet/followers.ts';
import { eventsOf, type FeedService, feedService, followAll, storeBeside } from './feed-fleet/service.ts';

const sizes = isFullSize ? { followers: 1_000, revocations: 300 } : { followers: 100, revocations: 60 };
/** Milliseconds between two revocations. */
const PAUSE = 20;

/** Starts PostgreSQL and two services, and opens a thousand connections: 30 s in .ci/run on a busy machine. */
t.setTimeout(600_000);

t.test(
  `${sizes.followers} followers of two services on one PostgreSQL: one service is killed during revocations, and no follower misses an event`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const storage = await server.database();
    const directory = temporaryFolder(t);
    const killed = await feedService(t, directory, storage);
    const stays = await feedService(t, directory, storage);
    const followers = await startFollowers(t, 2);
    const { between } = await lateness(t);
    const tokens = await stays.tokens(sizes.revocations);
    await followAll(followers, [killed, stays], sizes.followers);

    const part = Math.floor(tokens.length / 3);
    const [before, after] = [new Map<string, number>(), new Map<string, number>()];
    await revokeAll(tokens.slice(0, part), [killed, stays], before);
    const working = revokeAll(tokens.slice(part, 2 * part), [killed, stays], new Map());
    await pause(5 * PAUSE);
    await killed.kill();
    const from = performance.now();
    t.ok(await until(async () => (await dropsOf(followers)) >= sizes.followers / 2 && (await followers.areInStep())));
    t.comment(`${sizes.followers / 2} followers moved in ${Math.round(performance.now() - from)} ms`);
    await working;
    await revokeAll(tokens.slice(2 * part), [stays], after);

    const events = await eventsOf(await storeBeside(t, directory, storage));
    await hasAll(
      t,
      followers,
      events.map(({ seq }) => seq),
    );
    const keys = new Set(events.map(({ key }) => key));
    t.ok(
      tokens.every((token) => keys.has(keyOf(token))),
      'each answered revocation has its event',
    );
    const refused = (await followers.states()).map(({ refused }) => refused);
    t.equal(sum(refused), 0, 'the other service has a place for each');
    await reachesLast(t, 'two services', { followers, between, answered: before });
    await reachesLast(t, 'one service', { followers, between, answered: after });
  },
);

/** In turn at these services. A revocation without an answer is repeated at the next one. */
async function revokeAll(
  tokens: readonly string[],
  services: readonly FeedService[],
  answered: Map<string, number>,
): Promise<void> {
  let asked = 0;
  for (const token of tokens) {
    while (!(await services[asked++ % services.length]?.revoke(token)));
    answered.set(token, performance.now());
    await pause(PAUSE);
  }
}

async function dropsOf(followers: Followers): Promise<number> {
  return sum((await followers.states()).map(({ drops }) => drops));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

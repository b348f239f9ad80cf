import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { followEvents } from '../../support/event-stream.ts';
import { inTime, lateness } from '../../support/lateness.ts';
import { postgresServer, skipWithoutPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { basic, gateway, requests, shop } from '../running-service.ts';
import { ready, spawnService, writeConfig } from '../service-process.ts';

/** Starts PostgreSQL and programs, and opens services: 11 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const path = '/oauth2/events';
const edge = { id: 'follower', secret: gateway.secret };
const keyOf = (token: string) => sha256(token).toString('base64url');

t.test('SQLite: after kill -9, a follower that reconnects gets each revocation that was answered', async (t) => {
  await arrivesAfterKill(t, temporaryFolder(t), 'sqlite:gatehouse.db');
});

t.test(
  'PostgreSQL: after kill -9, a follower that reconnects gets each revocation that was answered',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    await arrivesAfterKill(t, temporaryFolder(t), await server.database());
  },
);

t.test(
  'PostgreSQL: a revocation by one process arrives through the other, also after the database restarts',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const config = configFile(temporaryFolder(t), await server.database());
    const [one, other] = [await start(t, config), await start(t, config)];
    const follower = await followEvents(one.url + path, basic(edge));
    await follower.inStep();
    const { between } = await lateness(t);
    let count = 0;
    const arrives = async (what: string) => {
      const token = await tokenOnceUp(other);
      await other.post('/oauth2/revoke', { token }, basic(shop));
      const answered = performance.now();
      const frame = (await follower.first(++count)).at(-1);
      t.equal(frame?.data.key, keyOf(token));
      inTime(t, what, 1_000, await between(answered, frame?.at ?? Number.POSITIVE_INFINITY));
    };
    await arrives('within a second');
    await server.abort();
    await server.start();
    await arrives('within a second after the restart');
    follower.close();
  },
);

function configFile(directory: string, storage: string): string {
  const extra = `
  - { client_id: follower, client_secret: ${gateway.secret}, grant_types: [], events: true }
encryption_keys: [${randomBytes(32).toString('base64')}]
`;
  return writeConfig(directory, { storage, extra });
}

async function start(t: Test, config: string) {
  const process = spawnService(t, config);
  const url = await ready(process);
  return { process, url, ...requests(url) };
}

async function tokenOnceUp(service: { token(): Promise<string> }): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await service.token();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function arrivesAfterKill(t: Test, directory: string, storage: string): Promise<void> {
  const config = configFile(directory, storage);
  let service = await start(t, config);
  let cursor = 0;
  for (let life = 0; life < 3; life++) {
    const follower = await followEvents(`${service.url}${path}?since=${cursor}`, basic(edge));
    await follower.inStep();
    const tokens = await Promise.all(Array.from({ length: 8 }, () => service.token()));
    // this process delivers nothing any more: the follower does not read, and the process dies with the answers
    follower.response.pause();
    const answers = await Promise.all(
      tokens.map((token) => service.post('/oauth2/revoke', { token }, basic(shop)).then(({ status }) => status)),
    );
    service.process.child.kill('SIGKILL');
    await service.process.ended;
    t.strictSame(answers, Array(8).fill(200));
    follower.close();
    service = await start(t, config);
    const back = await followEvents(service.url + path, { ...basic(edge), 'last-event-id': String(cursor) });
    const frames = await back.first(8);
    t.strictSame(frames.map(({ data }) => data.key).sort(), tokens.map(keyOf).sort(), `life ${life}`);
    cursor = frames.at(-1)?.id ?? 0;
    back.close();
  }
}

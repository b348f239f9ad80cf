import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { sha256 } from '../../../src/base/secret.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { ask } from '../../support/event-stream.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { basic, gateway, run } from '../running-service.ts';

const path = '/oauth2/events';
const stored = { id: 'stored', secret: 'cs_stored-secret-of-32-bytes-or-more' };

/** One read of the database that waits until the test lets it go on. */
function slowRead() {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isSlow = false;
  return {
    begun: begun.promise,
    start: () => {
      isSlow = true;
    },
    finish: () => over.resolve(),
    async pass(): Promise<void> {
      if (!isSlow) return;
      begun.resolve();
      await over.promise;
    },
  };
}

async function runSlowly(t: Test, slow: 'findClient' | 'listEvents') {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  const secrets = [{ hash: sha256(stored.secret), createdAt: 0, expiresAt: undefined }];
  await records.addClient({ id: stored.id, metadata: { events: true }, createdAt: 0, secrets });
  const read = slowRead();
  const findClient: Records['findClient'] = (...asked) => read.pass().then(() => records.findClient(...asked));
  const listEvents: Records['listEvents'] = (...asked) => read.pass().then(() => records.listEvents(...asked));
  const slowed = slow === 'findClient' ? { findClient } : { listEvents };
  return { read, ...(await run(t, { directory, records: { ...records, ...slowed } })) };
}

/** The client disconnects during the slow read, and the service notices that before the read is over. */
async function leaveDuring(read: ReturnType<typeof slowRead>, url: string, client: typeof stored): Promise<void> {
  read.start();
  const follower = get(url, { agent: false, headers: basic(client) }).on('error', () => {});
  await read.begun;
  const gone = new Promise((resolve) => follower.once('close', resolve));
  follower.destroy();
  await gone;
  await pause(100);
  read.finish();
}

t.test('a follower that leaves during its authentication keeps no place', async (t) => {
  const { read, url, service } = await runSlowly(t, 'findClient');
  for (let place = 1; place < 2_000; place++) service.feed.take();
  await leaveDuring(read, url + path, stored);
  const statusOf = async () => {
    const response = await ask(url + path, basic(gateway));
    response.on('error', () => {}).destroy();
    return response.statusCode;
  };
  t.ok(await until(async () => (await statusOf()) === 200, 3_000), 'the last place is free');
});

t.test('a poll whose client leaves while the events are read waits for no event', async (t) => {
  const { read, url, service } = await runSlowly(t, 'listEvents');
  const { feed } = service;
  const { listen } = feed;
  const counted = { begun: 0, ended: 0 };
  Object.assign(feed, {
    listen(...asked: Parameters<typeof listen>) {
      const stop = listen(...asked);
      if (stop === undefined) return undefined;
      counted.begun++;
      return () => {
        counted.ended++;
        stop();
      };
    },
  });
  await leaveDuring(read, `${url}${path}?since=0&wait=60`, gateway);
  t.ok(await until(() => counted.begun === 1 && counted.ended === 1, 3_000), JSON.stringify(counted));
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { BoundedStream } from '../../../src/authorization/back-channel/event-stream.ts';
import { seconds, systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { followEvents } from '../../support/event-stream.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { basic, gateway, run } from '../running-service.ts';

const path = '/oauth2/events';

function deny(records: Records, count: number): Promise<unknown> {
  const now = seconds(systemClock);
  return Promise.all(Array.from({ length: count }, (_, index) => records.denyJwt(`${now} j${index}`, now + 600, now)));
}

t.test('10,000 revocations are replayed to a new follower in one go, each once and in order', async (t) => {
  const service = await run(t);
  await deny(service.service.records, 10_000);
  const begin = performance.now();
  const follower = await followEvents(service.url + path, basic(gateway));
  const frames = await follower.first(10_000, 60_000);
  t.comment(`replayed in ${Math.round(performance.now() - begin)} ms`);
  await follower.inStep();
  t.equal(follower.frames.length, 10_000);
  t.ok(frames.every(({ id }, index) => id > (frames[index - 1]?.id ?? 0)));
  t.equal(new Set(frames.map(({ data }) => data.key)).size, 10_000);
  follower.close();
});

t.test('a follower that joins during revocations misses none, and gets none twice', async (t) => {
  const service = await run(t);
  const { records } = service.service;
  const writing = (async () => {
    for (let round = 0; round < 30; round++) {
      const now = seconds(systemClock);
      await Promise.all(Array.from({ length: 40 }, (_, index) => records.denyJwt(`${round} ${index}`, now + 600, now)));
    }
  })();
  const followers = [];
  for (let index = 0; index < 10; index++) {
    followers.push(await followEvents(service.url + path, basic(gateway)));
    await pause(5);
  }
  await writing;
  for (const follower of followers) {
    const frames = await follower.first(1200);
    t.equal(new Set(frames.map(({ id }) => id)).size, 1200);
    t.ok(frames.every(({ id }, index) => id > (frames[index - 1]?.id ?? 0)));
    follower.close();
  }
});

t.test('many followers share one read of the table', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let reads = 0;
  const listEvents: Records['listEvents'] = (...asked) => {
    reads++;
    return records.listEvents(...asked);
  };
  const service = await run(t, { directory, records: { ...records, listEvents } });
  const followers = await Promise.all(
    Array.from({ length: 50 }, () => followEvents(service.url + path, basic(gateway))),
  );
  await Promise.all(followers.map((follower) => follower.first(0).then(() => pause(300))));
  reads = 0;
  await deny(service.service.records, 3);
  for (const follower of followers) {
    t.equal((await follower.first(3)).length, 3);
    follower.close();
  }
  t.ok(reads >= 1 && reads < followers.length, `${reads} reads for ${followers.length} followers`);
});

t.test('a follower that does not read is disconnected, and uses a bounded amount of memory', async (t) => {
  const service = await run(t);
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  const { authorization } = basic(gateway);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n\r\n`);
  await pause(200);
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  for (let round = 0; round < 40; round++) {
    const now = seconds(systemClock);
    const long = 'x'.repeat(20_000);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.service.records.denyJwt(`${long} ${round} ${index}`, now + 600, now),
      ),
    );
  }
  const others = await followEvents(`${service.url}${path}`, basic(gateway));
  await others.first(100);
  others.close();
  socket.resume();
  await closed;
  t.pass('closed by the service');
});

t.test('a stream buffers unread data up to a limit, and is destroyed beyond it', async (t) => {
  const stream = new BoundedStream();
  const text = 'x'.repeat(10_000);
  let written = 0;
  for (; !stream.isOver && written < 1000; written++) stream.write(text);
  t.ok(written * text.length <= 1_100_000, `${written} pieces`);
  t.equal(stream.destroyed, true);
  t.equal(stream.write(text), false);
  await stream.ready();
});

t.test('a stream that has ended is not written to, and causes no error', async (t) => {
  const stream = new BoundedStream();
  stream.write('a');
  stream.end();
  stream.end();
  t.equal(stream.write('b'), false);
  t.strictSame(await stream.toArray(), [Buffer.from('a')]);
});

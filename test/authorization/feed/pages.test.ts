import t from 'tap';
import { PAGE, sharedPages } from '../../../src/authorization/feed/pages.ts';
import type { EventRecord } from '../../../src/storage/records/records.ts';

function table(count: number) {
  const numbered = (seq: number): EventRecord => ({ seq, kind: 'jti', key: `${seq}`, until: 2, nbf: undefined, at: 1 });
  const events = Array.from({ length: count }, (_, index) => numbered(index + 1));
  let reads = 0;
  const read = sharedPages(async (since) => {
    reads++;
    return events.slice(since, since + PAGE);
  });
  return { read, reads: () => reads, add: () => void events.push(numbered(events.length + 1)) };
}

t.test('followers share a full page, and a page that may grow is read again', async (t) => {
  const { read, reads, add } = table(PAGE + 1);
  t.equal(await read(0), await read(0));
  t.equal(reads(), 1);
  t.equal((await read(PAGE)).length, 1);
  add();
  t.equal((await read(PAGE)).length, 2);
  t.equal(reads(), 3);
});

t.test('only the last pages are kept', async (t) => {
  const { read, reads } = table(100 * PAGE);
  for (let page = 0; page < 60; page++) await read(page * PAGE);
  await read(59 * PAGE);
  t.equal(reads(), 60, 'it was kept');
  await read(0);
  t.equal(reads(), 61, 'it was not');
});

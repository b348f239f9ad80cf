import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { recordsContract } from '../../contracts/records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** In the size of .ci/run: 18 s on a busy machine. */
t.setTimeout(120_000);

for (const url of ['sqlite:gatehouse.db', 'sqlite::memory:']) {
  recordsContract(t, url, {
    async open(t) {
      const directory = temporaryFolder(t);
      const records = await openRecords(url, { directory, clock: systemClock });
      t.teardown(() => records.close());
      return records;
    },
  });
}

t.test('a storage URL of an unknown scheme is an error at start', async (t) => {
  for (const url of ['mysql:x', 'constructor:x', 'x', ':']) {
    await t.rejects(openRecords(url, { directory: '/', clock: systemClock }), {
      name: 'StorageUnusable',
      message: /no engine/,
    });
  }
});

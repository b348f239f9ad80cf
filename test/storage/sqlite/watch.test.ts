import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { accessToken, now } from '../../contracts/records/samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

t.test('only a commit that wrote an event wakes a watcher, before its promise settles', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  t.teardown(() => records.close());
  let woken = 0;
  let polled = 0;
  const stop = records.watchEvents(() => {
    if (/at listOnTimeout/.test(new Error().stack ?? '')) polled++;
    else woken++;
  });
  for (let each = 1; each <= 20; each++) {
    await records.denyJwt(`j${each}`, now + 60, now);
    t.equal(woken, each);
  }
  await records.saveAccessToken(accessToken('a'));
  t.equal(woken, 20, `polled ${polled} times`);
  await stop();
  await records.denyJwt('after', now + 60, now);
  t.equal(woken, 20);
});

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { now, session } from '../../contracts/records/samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

t.test('a client that an earlier version noted for a session gets a notice when the session ends', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  t.teardown(() => records.close());
  await records.saveSession(session('a'));
  const database = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5_000 });
  database.exec(`INSERT INTO session_client (session_id, client_id, subject, until)
                 VALUES ('id a', 'web', 's-alice', ${now + 600})`);
  t.equal(await records.endSession('id a', 's-alice', now), true);
  const notices = await records.takeLogoutNotices({ now, leaseUntil: now + 10, limit: 10, share: 10 }, []);
  t.match(notices, [{ sessionId: 'id a', clientId: 'web', subject: 's-alice' }]);
  t.strictSame(database.prepare('SELECT client_id FROM session_client').all(), []);
  database.close();
});

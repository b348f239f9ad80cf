import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { client, now } from '../../contracts/records/samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** More than one call takes arguments. */
const MANY = 150_000;

t.test(
  'a client with any number of grants can be removed, and the feed waits for the last of their tokens',
  async (t) => {
    const directory = temporaryFolder(t);
    const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
    t.teardown(() => records.close());
    await records.addClient(client('shop'));
    const database = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5_000 });
    database.exec(`
    WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ${MANY})
    INSERT INTO authorization_grant
      (id, client_id, subject, username, scope, audience, created_at, expires_at, tokens_until, used_at)
    SELECT 'grant ' || n, 'shop', 's-alice', 'alice', '', '[]', ${now}, ${now + 900_000}, ${now + 100_000} + n, ${now}
    FROM each`);
    database.close();
    t.equal(await records.removeClient('shop', now), true);
    t.match(await records.listEvents(0, 10), [{ kind: 'client_nbf', key: 'shop', until: now + 100_000 + MANY }]);
  },
);

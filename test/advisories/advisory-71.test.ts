import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import { basic, run, shop } from '../authorization/running-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };

// CVE-2020-15223: the answer to a revocation was 200 although the store had failed.
t.test('advisory 71: while the store cannot commit, a revocation is 503 and the token stays as it is', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock, busyDeadline: 200 });
  const service = await run(t, { directory, records });
  const tokens = [
    [await service.token(), shop],
    [await service.token({}, shopJwt), shopJwt],
  ] as const;

  const blocker = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5_000 });
  blocker.exec('BEGIN IMMEDIATE');
  for (const [token, client] of tokens) {
    const response = await service.post('/oauth2/revoke', { token }, basic(client));
    t.equal(response.status, 503);
    t.match(response.headers.get('retry-after'), /^[1-9]/);
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.match(await response.json(), { error: 'temporarily_unavailable' });
    t.equal((await service.introspect(token)).active, true, 'it stays as it is');
  }
  const issue = await service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop));
  t.equal(issue.status, 503, 'no token is given out that is not known');
  t.equal((await fetch(`${service.admin}/readyz`)).status, 503);
  t.equal((await fetch(`${service.admin}/livez`)).status, 200);

  blocker.exec('ROLLBACK');
  blocker.close();
  for (const [token, client] of tokens) {
    t.equal(
      (await service.post('/oauth2/revoke', { token }, basic(client))).status,
      200,
      'works again without a restart',
    );
    t.strictSame(await service.introspect(token), { active: false });
  }
  t.equal((await fetch(`${service.admin}/readyz`)).status, 200);
});

t.test(
  'advisory 71: while the store is unavailable, every endpoint that needs it is 503, never 200 or 401',
  async (t) => {
    const directory = temporaryFolder(t);
    const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
    const service = await run(t, { directory, records });
    const token = await service.token();
    const jwt = await service.token({}, shopJwt);
    await records.close();
    const gateway = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };
    const asked = [
      service.post('/oauth2/introspect', { token }, basic(gateway)),
      service.post('/oauth2/introspect', { token: jwt }, basic(gateway)),
      service.post('/oauth2/revoke', { token }, basic(shop)),
      service.post('/oauth2/revoke', { token: jwt }, basic(shopJwt)),
      service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop)),
    ];
    for (const response of await Promise.all(asked)) t.equal(response.status, 503, response.url);
  },
);

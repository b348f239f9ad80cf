import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { buildAuthorization } from '../../src/authorization/authorization.ts';
import { systemClock } from '../../src/base/clock.ts';
import { CannotListen } from '../../src/base/listen.ts';
import { buildLog } from '../../src/base/log.ts';
import { StorageUnavailable } from '../../src/storage/engine/errors.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { signedIn } from './browser/walk.ts';
import { refresh, tokens } from './grant-flow.ts';
import { type Changes, configuration, passwordHash, requests, run } from './running-service.ts';

const bob = { subject: 'bob', username: 'bob' };
const log = buildLog({ level: 'silent', format: 'json' });

/** Bob has another password, and alice no longer exists. */
const changed = () =>
  configuration()
    .users.filter(({ username }) => username === 'bob')
    .map((user) => ({ ...user, password_argon2: passwordHash('mason') }));

/** Everything in the store, except for what other starts create themselves. */
function contents(directory: string): unknown {
  using database = new DatabaseSync(join(directory, 'gatehouse.db'), { readOnly: true, timeout: 5_000 });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  return tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${name}`).all()]);
}

const at = (port: number) => ({ host: '127.0.0.1', port });
const portOf = (url: string) => Number(new URL(url).port);

t.test('a start that finds its port in use changes nothing in the store, and ends no session or token', async (t) => {
  const directory = temporaryFolder(t);
  const running = await run(t, { directory });
  const his = await tokens(running, bob);
  const tab = await signedIn(running, 'bob', 'builder');
  const before = contents(directory);
  const taken: Changes[] = [
    { listen: at(portOf(running.url)) },
    { admin: at(portOf(running.admin)) },
    { health: at(portOf(running.admin)) },
  ];
  for (const place of taken) {
    const config = configuration({ users: changed(), ...place });
    const second = await buildAuthorization(config, { directory, log });
    await t.rejects(second.start(), CannotListen);
    await second.stop();
    t.strictSame(contents(directory), before);
  }
  t.match((await tab.get('/oauth2/account')).body, /name="csrf"/);
  t.equal((await running.introspect(his.access_token)).active, true);
  t.equal((await refresh(running, his.refresh_token)).status, 200);
  await signedIn(running, 'bob', 'builder');
});

/** A service whose start continues when the test says so. */
async function starting(t: Test) {
  const directory = temporaryFolder(t);
  const first = await run(t, { directory });
  const his = await tokens(first, bob);
  await first.stop();
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  const turn = Promise.withResolvers<void>();
  let isAsked = false;
  const held: Records = {
    ...records,
    async listFileUsers() {
      isAsked = true;
      await turn.promise;
      return records.listFileUsers();
    },
  };
  const [port, admin] = [await freePort(), await freePort()];
  const config = configuration({ users: changed(), listen: at(port), admin: at(admin) });
  const service = await buildAuthorization(config, { directory, log, records: held });
  t.teardown(() => service.stop());
  const started = service.start();
  started.catch(() => {});
  t.ok(await until(() => isAsked));
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${admin}/readyz`);
    return [answer.status, ((await answer.json()) as { reason?: string }).reason];
  };
  return { ...requests(`http://127.0.0.1:${port}`), his, turn, started, ready };
}

t.test('the service listens, but answers no request before it has applied the passwords of the file', async (t) => {
  const { introspect, his, turn, started, ready } = await starting(t);
  const answer = introspect(his.access_token);
  t.strictSame(await ready(), [503, 'starting']);
  turn.resolve();
  t.strictSame(await answer, { active: false }, 'it rests on a password that is another one now');
  await started;
  t.strictSame(await ready(), [200, undefined]);
});

t.test('if the passwords of the file cannot be applied the start fails, and waiting requests get 503', async (t) => {
  const { post, turn, started } = await starting(t);
  const answer = post('/oauth2/token', { grant_type: 'client_credentials' });
  turn.reject(new StorageUnavailable('out'));
  await t.rejects(started, StorageUnavailable);
  const { status, headers } = await answer;
  t.strictSame([status, headers.get('retry-after')], [503, '1']);
  t.equal((await post('/oauth2/token', {})).status, 503, 'who comes later too');
});

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { requests } from './running-service.ts';
import { ready, spawnService, writeConfig } from './service-process.ts';

/** Starts PostgreSQL and programs, and opens services: 48 s in .ci/run on a busy machine. */
t.setTimeout(300_000);

t.test('SIGTERM and SIGINT end the service with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const service = spawnService(t, writeConfig(temporaryFolder(t)));
    await requests(await ready(service)).token();
    service.child.kill(signal);
    t.equal(await service.ended, 0, signal);
    t.equal(service.stderr(), '');
  }
});

t.test('a request that is still running at the deadline ends the service with 3', async (t) => {
  const service = spawnService(t, writeConfig(temporaryFolder(t), { extra: 'shutdown: { deadline: 300ms }' }));
  await hold(await ready(service));
  service.child.kill('SIGTERM');
  t.equal(await service.ended, 3);
});

t.test('a second signal ends it immediately, with 3', async (t) => {
  const service = spawnService(t, writeConfig(temporaryFolder(t)));
  await hold(await ready(service));
  service.child.kill('SIGTERM');
  await sleep(200);
  service.child.kill('SIGINT');
  t.equal(await service.ended, 3);
});

t.test('a port in use is one line and exit 1', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const listen = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  const service = spawnService(t, writeConfig(temporaryFolder(t), { listen }));
  t.equal(await service.ended, 1);
  t.ok(
    service
      .stderr()
      .endsWith(
        `gatehouse: ${listen} is taken (\`listen\`): stop the program that listens there, or choose another address\n`,
      ),
  );
  t.notMatch(service.stderr(), /\n\s+at /);
});

t.test('a database that is newer than the program is one line and exit 1', async (t) => {
  const directory = temporaryFolder(t);
  const config = writeConfig(directory);
  t.equal(await spawnService(t, config, { args: ['--migrate-only'] }).ended, 0);
  const database = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5_000 });
  database.exec("INSERT INTO migration VALUES (999, 'of tomorrow', '', 0)");
  database.close();
  const service = spawnService(t, config);
  t.equal(await service.ended, 1);
  t.match(
    service.stderr(),
    /^gatehouse: .*gatehouse\.db: the database has version 999, and this program knows only \d+: start the newer program\n$/,
  );
});

t.test('--migrate-only creates the database and does not listen', async (t) => {
  const directory = temporaryFolder(t);
  const service = spawnService(t, writeConfig(directory), { args: ['--migrate-only'] });
  t.equal(await service.ended, 0);
  t.ok(existsSync(join(directory, 'gatehouse.db')));
  t.equal(service.stdout() + service.stderr(), 'sqlite:gatehouse.db is created.\n');
  const again = spawnService(t, join(directory, 'authorization.yaml'), { args: ['--migrate-only'] });
  t.equal(await again.ended, 0);
  t.equal(again.stdout() + again.stderr(), 'sqlite:gatehouse.db is up to date.\n');
});

t.test('a configuration that does not load is shown with its place, and exit 1', async (t) => {
  const directory = temporaryFolder(t);
  const missing = spawnService(t, join(directory, 'nothing.yaml'));
  t.equal(await missing.ended, 1);
  t.match(missing.stderr(), /nothing\.yaml:1:1/);
  const config = writeConfig(directory, { extra: 'isuer: x' });
  const service = spawnService(t, config);
  t.equal(await service.ended, 1);
  t.match(service.stderr(), /authorization\.yaml:10:1/);
});

/** A request whose body never ends. */
async function hold(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(
    'POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n',
  );
  // It says so when it waits for the body.
  await once(socket, 'data');
  socket.write('a');
}

t.test(
  '--migrate-only reports whether it created or migrated the database, or found it up to date',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const storage = await server.database();
    const key = `encryption_keys: ['${Buffer.alloc(32, 7).toString('base64')}']`;
    const config = writeConfig(temporaryFolder(t), { storage, extra: key });
    const told = async () => {
      const service = spawnService(t, config, { args: ['--migrate-only'] });
      t.equal(await service.ended, 0, service.stderr());
      return service.stdout();
    };
    t.match(await told(), / is created\.\n$/);
    t.match(await told(), / is up to date\.\n$/);
    await server.ask('DELETE FROM migration WHERE version = 5; DROP TABLE digest_user, imported_password', storage);
    t.match(await told(), / is migrated to the version of this program, in 1 steps\.\n$/);
  },
);

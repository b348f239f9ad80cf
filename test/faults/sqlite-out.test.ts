import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { basic, other, type Running, run, shop } from '../authorization/running-service.ts';
import { spawnService, writeConfig } from '../authorization/service-process.ts';
import { skipWithoutFileRights, underFileRights } from '../support/file-rights.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Expected, point, type Scene } from './support/point.ts';
import { tell } from './support/tell.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 4;

/** Milliseconds for which a write waits for another process. */
const BUSY = 1_500;

interface Trouble {
  begin(file: string): Promise<void>;
  end(file: string): Promise<void>;
}

/** The service on a database file, and what happens to the file. */
async function scene(t: Test, trouble: (t: Test) => Trouble): Promise<Scene & { readonly service: Running }> {
  const directory = temporaryFolder(t);
  const login = { max_failures: 100_000, window: 60_000 };
  const tokens = { max_a_minute: 1_000_000 };
  const service = await run(t, { directory, config: { login, tokens } });
  const file = join(directory, 'gatehouse.db');
  const { begin, end } = trouble(t);
  const grant = (headers: Record<string, string>) =>
    tell(`${service.url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: 'grant_type=client_credentials',
    });
  return {
    service,
    proxy: { set: () => begin(file), mend: () => end(file), cut() {} },
    adminUrl: service.admin,
    good: () => grant(basic(shop)),
    bad: () => grant(basic({ ...shop, secret: other.secret })),
    none: () => grant({}),
    other: () => tell(`${service.url}/.well-known/oauth-authorization-server`),
  };
}

/** Another process with a transaction that does not end. */
function locked(t: Test): Trouble {
  const script = `
    const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    db.exec('BEGIN EXCLUSIVE');
    console.log('locked');
    setInterval(() => {}, 1000);`;
  let holder: ReturnType<typeof spawn> | undefined;
  t.teardown(() => holder?.kill('SIGKILL'));
  return {
    async begin(file) {
      holder = spawn(process.execPath, ['--no-warnings', '-e', script, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env.PATH },
      });
      await once(holder.stdout as NodeJS.ReadableStream, 'data');
    },
    async end() {
      const gone = holder && once(holder, 'exit');
      holder?.kill('SIGKILL');
      await gone;
    },
  };
}

function movedAway(): Trouble {
  return {
    begin: async (file) => renameSync(file, `${file}.away`),
    end: async (file) => renameSync(`${file}.away`, file),
  };
}

/** As if a backup were copied over a database in use. */
function replaced(): Trouble {
  return {
    async begin(file) {
      renameSync(file, `${file}.away`);
      writeFileSync(file, '');
    },
    end: async (file) => renameSync(`${file}.away`, file),
  };
}

const out: Expected = {
  good: ['503 temporarily_unavailable'],
  bad: ['401 invalid_client', '503 temporarily_unavailable'],
  none: ['401 invalid_client'],
  retryAfter: true,
  ready: 503,
};

void t.test('the database is locked by another process: 503 after the wait, and it recovers afterwards', async (t) =>
  point(t, await scene(t, locked), {}, { ...out, took: [0.9 * BUSY, 1.4 * BUSY] }),
);

for (const [title, trouble] of Object.entries({ 'moved away': movedAway, 'replaced by another file': replaced })) {
  void t.test(`the database is ${title}: no answer that would be lost, until it is back`, async (t) =>
    point(t, await scene(t, trouble), {}, { ...out, took: [0, 500] }),
  );
}

void t.test(
  'a read-only database is rejected: the service does not start, and says why in a line',
  { skip: skipWithoutFileRights },
  async (t) => {
    const directory = temporaryFolder(t);
    const config = writeConfig(directory);
    await (await run(t, { directory })).stop();
    chmodSync(config, 0o644);
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
    chmodSync(directory, 0o555);
    const service = spawnService(t, config, { wrapper: underFileRights });
    t.equal(await service.ended, 1);
    t.match(service.stderr(), /^gatehouse: .*gatehouse\.db.*\n/);
    chmodSync(directory, 0o755);
  },
);

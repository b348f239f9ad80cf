import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { loadSecrets } from '../../src/authorization/clients/secrets.ts';
import { newUserKey } from '../../src/authorization/keys/user-keys.ts';
import { systemClock } from '../../src/base/clock.ts';
import { makeSigningKey } from '../../src/jwt/sign.ts';
import { openRecords } from '../../src/storage/open.ts';
import type { Records } from '../../src/storage/records/records.ts';
import { ready, spawnService, writeConfig } from '../authorization/service-process.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Ledger, type Loaded, load, loadedClients, rotate } from './support/service-load.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);

/** Users with their own key and two Digest hashes, each sealed with the old key. */
const USERS = sized(100, 1_000, 50_000);
/** Answers received before the reseal begins, and after it. */
const ENOUGH = 60;
/** A session that no worker of the load ends. The load may have ended all of its own when it stops. */
const OURS = -1;

const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

async function fill(records: Records): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const { kid: _, subject: __, ...shape } = await newUserKey('', 'ES256', now);
  await loadSecrets(records);
  await records.adoptSigningKey({ ...(await makeSigningKey('ES256')), createdAt: now });
  const save = async (name: string) => {
    await records.adoptUserKey({ ...shape, kid: randomBytes(16).toString('base64url'), subject: name });
    const hashes = ['MD5', 'SHA-256'].map((algorithm) => ({ algorithm, ha1: name, userhash: `${algorithm} ${name}` }));
    await records.setDigestUser({ realm: 'r', username: name, hashes, changedAt: now });
  };
  for (let from = 0; from < USERS; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, USERS - from) }, (_, index) => save(`u${from + index}`)));
}

/** No request is refused while it runs. A client that meets a short outage repeats its request. */
async function retireUnderLoad(t: Test, storage: string): Promise<void> {
  const directory = temporaryFolder(t);
  const port = await freePort();
  const write = (keys: string) =>
    writeConfig(directory, { storage, listen: `127.0.0.1:${port}`, extra: loadedClients(keys) });
  const open = (...encryptionKeys: string[]) => openRecords(storage, { directory, clock: systemClock, encryptionKeys });
  const before = await open(old);
  await fill(before);
  await before.close();

  const config = write(`${fresh}, ${old}`);
  const first = spawnService(t, config);
  await ready(first);
  const records = await open(fresh, old);
  t.teardown(() => records.close());
  const loaded: Loaded = { url: `http://127.0.0.1:${port}`, records, ledger: new Ledger() };
  const loading = load(loaded, 'goes on');
  t.equal((await rotate(loaded, OURS)).status, 200);
  await loaded.ledger.more(ENOUGH);
  const answered = loaded.ledger.answered(200);
  const ended = await command(t, ['key', 'reseal', '--config', config, '--json']).ended();
  const meanwhile = loaded.ledger.answered(200) - answered;
  t.equal(ended.status, 0, ended.stderr);
  const told = JSON.parse(ended.stdout || '{}');
  t.match(told, { signing_keys: 1, user_keys: USERS, digest_users: 2 * USERS });
  t.ok(told.secrets > 0);
  t.ok(meanwhile > 0, `${meanwhile} answers meanwhile`);
  await loaded.ledger.more(ENOUGH);
  await loading.stop();
  t.strictSame(loaded.ledger.blamed, [], 'nobody is refused');
  t.strictSame(Object.values(await records.countUnderOtherKeys()), [0, 0, 0, 0, 0]);
  first.child.kill('SIGTERM');
  t.equal(await first.ended, 0);

  const second = spawnService(t, write(fresh));
  t.equal(await ready(second), loaded.url);
  for (const [index] of loaded.ledger.families) t.equal((await rotate(loaded, index)).status, 200);
  t.ok(loaded.ledger.families.has(OURS), 'a session that began before goes on');
  const again = await command(t, ['key', 'reseal', '--config', config]).ended();
  t.match(again, { status: 0, stdout: /already/ });
  t.comment(`${told.resealed} values, ${meanwhile} answers meanwhile, ${loaded.ledger.answered(503)} outages`);
}

const title = `an encryption key is retired under load, ${USERS * 3} values and more, and the service starts without it`;

t.test(`${title}: SQLite`, (t) => retireUnderLoad(t, 'sqlite:gatehouse.db'));

t.test(`${title}: PostgreSQL`, { skip: skipWithoutPostgres }, async (t) =>
  retireUnderLoad(t, await (await postgresServer(t)).database()),
);

import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { seconds, systemClock } from '../../src/base/clock.ts';
import { hashApiKey, hmacApiKey, makeApiKey } from '../../src/http-auth/api-key.ts';
import { openRecords } from '../../src/storage/open.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const secret = randomBytes(32);

/** A gateway whose API keys are in a store, and the store as the authorization service uses it. */
async function bench(t: Test, storage: string) {
  const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  const route = {
    match: { path: '/{rest*}' },
    auth: 'api_key',
    api_key: { keys: { storage }, hmac_key: secret.toString('base64') },
    scope: 'read',
  };
  const { url, log } = await gateway(t, behind(await echoUpstream(t), { routes: [route], authorization_servers: {} }));
  const ask = async (key: string) => {
    const response = await fetch(`${url}/a`, { headers: { 'x-api-key': key } });
    const { code, headers } = (await response.json()) as { code?: string; headers?: Record<string, string> };
    return `${response.status} ${code ?? headers?.['x-auth-client']}`;
  };
  return { records, ask, log };
}

const now = seconds(systemClock);
const made = (id: string, hash: string) => ({ id, hash, client: 'meter-7', scopes: ['read'], createdAt: now });
const hashed = (key: string) => `sha256:${hashApiKey(Buffer.from(key))}`;

/** A change in the store takes effect within a second. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 1_000));

async function ways(t: Test, storage: string): Promise<void> {
  const { records, ask, log } = await bench(t, storage);
  const [key, next, short] = [makeApiKey(), makeApiKey(), '4711-4712'];
  t.equal(await ask(key), '401 api_key_invalid');
  await records.addApiKeys([
    { ...made('first', hashed(key)), expiresAt: undefined },
    { ...made('short', `hmac:${hmacApiKey(secret, Buffer.from(short))}`), client: 'old', expiresAt: undefined },
    { ...made('ended', hashed('ended')), expiresAt: now },
    { ...made('poor', hashed('poor')), scopes: [], expiresAt: undefined },
  ]);
  await soon();
  t.strictSame([await ask(key), await ask(short)], ['200 meter-7', '200 old']);
  t.strictSame([await ask('ended'), await ask('poor')], ['401 api_key_expired', '403 scope_insufficient']);

  const replaced = { id: 'next', hash: hashed(next), expiresAt: undefined };
  await records.rotateApiKey({ id: 'first', made: replaced, oldUntil: now, now });
  await soon();
  t.strictSame([await ask(key), await ask(next)], ['401 api_key_expired', '200 meter-7'], 'rotated');
  await records.removeApiKey('next');
  await soon();
  t.equal(await ask(next), '401 api_key_invalid', 'revoked, though it was right a moment ago');
  for (const each of [key, next, short]) t.notOk(JSON.stringify(log).includes(each), 'no key is logged');
}

t.test(
  'sqlite: a key of the store passes, and is refused within a second after it is revoked or rotated',
  async (t) => {
    await ways(t, `sqlite:${temporaryFolder(t)}/gatehouse.db`);
  },
);

t.test('postgres: the same', { skip: skipWithoutPostgres }, async (t) => {
  await ways(t, await (await postgresServer(t)).database());
});

t.test('an unavailable store is an outage for right and wrong keys, and the outage ends', async (t) => {
  const file = join(temporaryFolder(t), 'gatehouse.db');
  const { records, ask } = await bench(t, `sqlite:${file}`);
  const key = makeApiKey();
  await records.addApiKeys([{ ...made('first', hashed(key)), expiresAt: undefined }]);
  t.equal(await ask(key), '200 meter-7');
  renameSync(file, `${file}.away`);
  await soon();
  t.strictSame([await ask(key), await ask('wrong')], ['503 users_unavailable', '503 users_unavailable']);
  renameSync(`${file}.away`, file);
  t.equal(await ask(key), '200 meter-7');
});

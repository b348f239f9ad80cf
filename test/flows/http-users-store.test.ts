import { renameSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildPasswords } from '../../src/base/passwords.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash, userHash } from '../../src/http-auth/digest-response.ts';
import { openRecords } from '../../src/storage/open.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const keys = [Buffer.alloc(32, 7).toString('base64')];
const realm = 'meters';
const cheap = buildPasswords({ cost: { memory: 64, passes: 1, lanes: 1 } });

async function argon2(password: string): Promise<string> {
  const hashed = await cheap.hash(password);
  return hashed.kind === 'hashed' ? hashed.phc : '';
}

/** A gateway whose users are in a store, and the store as the authorization service uses it. */
async function bench(t: Test, storage: string, more: object = {}) {
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys: keys });
  t.teardown(() => records.close());
  const digest = { realm, users: { storage, encryption_keys: keys }, scopes: { alice: 'orders.read' } };
  const basic = { realm, users: { storage } };
  const routes = [
    { match: { path: '/digest' }, auth: 'digest', digest, scope: 'orders.read' },
    { match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
  ];
  const file = { routes, authorization_servers: {}, admin: '127.0.0.1:0', ...more };
  const running = await gateway(t, behind(await echoUpstream(t), file));
  const digestUser = async (password: string) => {
    const ha1 = storedHash('SHA-256', 'alice', realm, password);
    const hashes = [{ algorithm: 'SHA-256', ha1, userhash: userHash('SHA-256', 'alice', realm) }];
    await records.setDigestUser({ realm, username: 'alice', hashes, changedAt: 1 });
    return ha1;
  };
  const account = async (username: string, password: string) => {
    const passwordHash = await argon2(password);
    const fresh = { subject: `s-${username}`, username, passwordHash, name: undefined, claims: {}, createdAt: 1 };
    await records.addAccount(fresh);
  };
  return { running, records, digestUser, account };
}

async function told(response: Response): Promise<string> {
  const body = (await response.json()) as { code?: string; headers?: Record<string, string> };
  return `${response.status} ${body.code ?? body.headers?.['x-auth-subject'] ?? ''}`;
}

async function basicly({ url }: TestGateway, username: string, password: string): Promise<string> {
  return told(await fetch(`${url}/basic`, { headers: { authorization: formatBasic(username, password) } }));
}

async function digestly({ url }: TestGateway, username: string, password: string, isHashed = false): Promise<string> {
  const challenge = await fetch(`${url}/digest`);
  await challenge.arrayBuffer();
  const nonce = /nonce="([^"]+)"/.exec(challenge.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  const ha1 = storedHash('SHA-256', username, realm, password);
  const protection = { qop: 'auth', nc: '00000001' } as const;
  const said = { nonce, uri: '/digest', cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const response = digestResponse({ ...said, ha1, method: 'GET' });
  const name = isHashed ? userHash('SHA-256', username, realm) : username;
  const credentials = { ...said, username: name, userhash: isHashed, realm, response, opaque: undefined };
  return told(await fetch(`${url}/digest`, { headers: { authorization: formatDigest(credentials) } }));
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 1_100));

async function ways(t: Test, storage: string): Promise<void> {
  const { running, records, digestUser, account } = await bench(t, storage);
  const ha1 = await digestUser('wonderland');
  await account('alice', 'correct horse');
  await records.addImportedPassword({
    username: 'bob',
    passwordHash: '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=',
    changedAt: 1,
  });

  t.equal(await digestly(running, 'alice', 'wonderland'), '200 alice');
  t.equal(await digestly(running, 'alice', 'wonderland', true), '200 alice');
  t.equal(await digestly(running, 'alice', 'wrong'), '401 password_wrong');
  t.equal(await digestly(running, 'eve', 'wonderland'), '401 password_wrong');
  t.equal(await basicly(running, 'ALICE', 'correct horse'), '200 alice', 'an account has many spellings');
  t.equal(await basicly(running, 'alice', 'wrong'), '401 password_wrong');
  t.equal(await basicly(running, 'eve', 'x'), '401 password_wrong');
  t.equal(await basicly(running, 'bob', 'Circle of Life'), '200 bob', 'as Apache kept it');

  await digestUser('another');
  await records.setPassword({ username: 'alice', passwordHash: await argon2('battery staple'), now: 2 });
  await account('eve', 'x');
  await soon();
  t.equal(await digestly(running, 'alice', 'wonderland'), '401 password_wrong', 'within a second');
  t.equal(await digestly(running, 'alice', 'another'), '200 alice');
  t.equal(await basicly(running, 'alice', 'correct horse'), '401 password_wrong', 'though it was right a moment ago');
  t.equal(await basicly(running, 'alice', 'battery staple'), '200 alice');
  t.equal(await basicly(running, 'eve', 'x'), '200 eve');
  await records.removeDigestUser({ realm, username: 'alice' });
  await records.removeImportedPassword('bob');
  await soon();
  t.equal(await digestly(running, 'alice', 'another'), '401 password_wrong');
  t.equal(await basicly(running, 'bob', 'Circle of Life'), '401 password_wrong');
  const logged = JSON.stringify(running.log);
  for (const secret of [ha1, 'Circle of Life', 'battery staple', 'y/waJdy9m', keys[0] ?? ''])
    t.notOk(logged.includes(secret), 'nothing of it is logged');
}

t.test(
  'sqlite: users of the store pass with Basic and Digest, and a change takes effect within a second',
  async (t) => {
    await ways(t, `sqlite:${temporaryFolder(t)}/gatehouse.db`);
  },
);

t.test('postgres: the same', { skip: skipWithoutPostgres }, async (t) => {
  await ways(t, await (await postgresServer(t)).database());
});

t.test('an unavailable store is an outage for existing and unknown users, and the outage ends', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gatehouse.db');
  const { running, digestUser, account } = await bench(t, `sqlite:${file}`);
  await digestUser('wonderland');
  await account('alice', 'correct horse');
  t.equal(await basicly(running, 'alice', 'correct horse'), '200 alice');
  renameSync(file, `${file}.away`);
  await soon();
  for (const name of ['alice', 'eve']) {
    t.equal(await basicly(running, name, 'correct horse'), '503 users_unavailable', name);
    t.equal(await digestly(running, name, 'wonderland'), '503 users_unavailable', name);
  }
  const response = await fetch(`${running.url}/basic`, { headers: { authorization: formatBasic('alice', 'x') } });
  await response.arrayBuffer();
  t.ok(Number(response.headers.get('retry-after')) > 0);
  t.notOk(response.headers.has('www-authenticate'), 'nobody is asked for another password');
  renameSync(`${file}.away`, file);
  t.equal(await basicly(running, 'alice', 'correct horse'), '200 alice');
  t.equal(await digestly(running, 'alice', 'wonderland'), '200 alice');
});

t.test('guesses at one account in many spellings count together', async (t) => {
  const { running, account } = await bench(t, `sqlite:${temporaryFolder(t)}/gatehouse.db`, {
    login: { max_failures: 3 },
  });
  await account('alice', 'correct horse');
  for (const name of ['alice', 'Alice', 'ALICE']) t.equal(await basicly(running, name, 'x'), '401 password_wrong');
  t.equal(await basicly(running, 'aLICE', 'correct horse'), '429 login_throttled');
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { newUserKey } from '../../../src/authorization/keys/user-keys.ts';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { launcher } from '../../support/launcher.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { codeRecord, type TokenAnswer, verifier } from '../grant-flow.ts';
import { basic, callback, passwordHash, requests, web } from '../running-service.ts';
import { ready, spawnService, writeConfig } from '../service-process.ts';
import { kidOf, webJwt } from '../user-key-flow.ts';

/** Starts PostgreSQL and programs, and opens services: 22 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
const people = ['alice', ...Array.from({ length: 4 }, (_, index) => `user${index}`)];

/** In addition to the clients of the file. */
const extra = `
  - { client_id: web-jwt, client_secret: ${web.secret}, scope: orders.read, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}'], access_token_format: jwt }
users: [${people.map((name) => `{ username: ${name}, password_argon2: '${passwordHash(name)}' }`).join(', ')}]
signing: { user_keys: true }
encryption_keys: ['${encryptionKeys[0]}']
audit: { file: audit.jsonl }
`;

type Service = ReturnType<typeof requests> & { readonly url: string };

async function startService(t: Test, storage: string, directory = temporaryFolder(t)): Promise<Service> {
  const url = await ready(spawnService(t, writeConfig(directory, { storage, extra })));
  return { url, ...requests(url) };
}

const clock = () => Math.floor(Date.now() / 1000);

async function answerOf(response: Response): Promise<TokenAnswer> {
  const answer = (await response.json()) as TokenAnswer;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

/** What the consent page would have saved, exchanged at the service. */
async function first(records: Records, service: Service, subject = 'alice'): Promise<TokenAnswer> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const code = codeRecord(text, clock(), { clientId: webJwt.id, subject, username: subject });
  await records.saveCode({ code, consent: undefined, transaction: undefined });
  const form = { grant_type: 'authorization_code', code: text, redirect_uri: callback, code_verifier: verifier };
  return answerOf(await service.post('/oauth2/token', form, basic(webJwt)));
}

interface Issued {
  readonly token: string;
  /** When it was requested, milliseconds. */
  readonly asked: number;
}

/** Exchanges one refresh token for the next until it is stopped. */
async function refreshOn(
  service: Service,
  begun: TokenAnswer,
  isOn: () => boolean,
  issued: Issued[] = [],
): Promise<Issued[]> {
  for (let { refresh_token } = begun; isOn(); ) {
    const asked = performance.now();
    const form = { grant_type: 'refresh_token', refresh_token };
    const answer = await answerOf(await service.post('/oauth2/token', form, basic(webJwt)));
    issued.push({ token: answer.access_token, asked });
    refresh_token = answer.refresh_token;
  }
  return issued;
}

/** Settles once so many callers have received one token more than they had requested at the time of the call. */
async function usedAnew(issued: readonly Issued[], callers: number): Promise<void> {
  const { length } = issued;
  if (!(await until(() => issued.length > length + callers, 60_000))) throw new Error('nothing is issued');
}

/** What the processes issue while the key is rotated repeatedly, and when each rotation was answered. */
async function rotateUnderLoad(
  records: Records,
  services: readonly Service[],
  rotate: () => Promise<readonly string[]>,
) {
  const begun = await Promise.all(
    services.flatMap((service) => [1, 2, 3].map(async () => ({ service, tokens: await first(records, service) }))),
  );
  let isOn = true;
  const issued: Issued[] = [];
  const load = begun.map(({ service, tokens }) => refreshOn(service, tokens, () => isOn, issued));
  const ended = new Map<string, number>();
  for (let round = 0; round < 12; round++) {
    // Every other key is used before it ends, however busy the machine is.
    if (round % 2 === 0) await usedAnew(issued, load.length);
    await sleep(round * 7);
    for (const kid of await rotate()) ended.set(kid, performance.now());
  }
  await usedAnew(issued, load.length);
  isOn = false;
  await Promise.all(load);
  return { issued, ended };
}

function holdsUp(t: Test, { issued, ended }: Awaited<ReturnType<typeof rotateUnderLoad>>): void {
  const late = issued.filter(({ token, asked }) => asked > (ended.get(kidOf(token)) ?? Number.POSITIVE_INFINITY));
  t.strictSame(late, [], 'no token with a key that was rotated before it was asked for');
  t.ok(ended.size >= 5, `${ended.size} keys ended`);
  const kids = new Set(issued.map(({ token }) => kidOf(token)));
  t.ok(kids.size >= 5, `${issued.length} tokens by ${kids.size} keys`);
}

async function liveness(service: Service, { issued, ended }: Awaited<ReturnType<typeof rotateUnderLoad>>) {
  const sample = issued.filter((_, index) => index % 7 === 0 || index > issued.length - 6);
  const wrong: string[] = [];
  for (const { token } of sample) {
    const { active } = await service.introspect(token);
    if (active === ended.has(kidOf(token))) wrong.push(kidOf(token));
  }
  return wrong;
}

t.test('two processes on PostgreSQL: after a rotation neither signs with the old key', { skip }, async (t) => {
  const server = await postgresServer(t);
  const storage = await server.database();
  const services = await Promise.all([startService(t, storage), startService(t, storage)]);
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  const rotate = () => records.rotateUserKey({ subject: 'alice', until: clock() + 900, now: clock() });
  const outcome = await rotateUnderLoad(records, services, rotate);
  holdsUp(t, outcome);
  for (const service of services) t.strictSame(await liveness(service, outcome), []);
});

t.test('two processes on PostgreSQL that need the first key of a user at once create one key', { skip }, async (t) => {
  const server = await postgresServer(t);
  const storage = await server.database();
  const services = await Promise.all([startService(t, storage), startService(t, storage)]);
  const records = await openRecords(storage, { directory: '/', clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  for (const subject of people) {
    const asked = services.flatMap((service) => [1, 2, 3, 4, 5].map(() => first(records, service, subject)));
    const tokens = (await Promise.all(asked)).map(({ access_token }) => access_token);
    t.equal(new Set(tokens.map(kidOf)).size, 1, subject);
    for (const service of services)
      for (const token of tokens.slice(0, 2)) t.equal((await service.introspect(token)).active, true);
  }
});

async function command(directory: string, words: readonly string[], input = '') {
  const config = ['--config', join(directory, 'authorization.yaml')];
  const child = spawn(process.execPath, [launcher, ...words, ...config], { stdio: 'pipe' });
  child.stdin.end(input);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (written[name] += chunk));
  const [status] = await once(child, 'close');
  return { status, ...written };
}

t.test('`user rotate-key` beside a service on SQLite: the old key ends when the command reports success', async (t) => {
  const directory = temporaryFolder(t);
  const service = await startService(t, 'sqlite:gatehouse.db', directory);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  const begun = await first(records, service);
  let isOn = true;
  const issued: Issued[] = [];
  const load = refreshOn(service, begun, () => isOn, issued);
  const ended = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    await usedAnew(issued, 1);
    const { status, stdout, stderr } = await command(directory, ['user', 'rotate-key', 'alice', '--json']);
    t.equal(status, 0, stderr);
    const told = JSON.parse(stdout);
    t.match(told, { username: 'alice', sub: 'alice', ended: [/^[A-Za-z0-9_-]{22}$/] });
    ended.set(told.ended[0], performance.now());
  }
  await usedAnew(issued, 1);
  isOn = false;
  const outcome = { issued: await load, ended };
  t.strictSame(
    outcome.issued.filter(({ token, asked }) => asked > (ended.get(kidOf(token)) ?? Number.POSITIVE_INFINITY)),
    [],
  );
  t.equal(new Set(outcome.issued.map(({ token }) => kidOf(token))).size, 4, 'each rotation, then a new key');
  t.strictSame(await liveness(service, outcome), []);
  const audit = readFileSync(join(directory, 'audit.jsonl'), 'utf8');
  for (const kid of ended.keys())
    t.ok(audit.includes(`"event":"user_key_rotated","detail":"by command"`) && audit.includes(kid));
});

t.test('a new password by command is a new key by default; a removal always ends the key', async (t) => {
  for (const rotates of [true, false]) {
    const directory = temporaryFolder(t);
    const said = `{ user_keys: true, rotate_on_password_change: ${rotates} }`;
    writeConfig(directory, { extra: extra.replace('{ user_keys: true }', said) });
    const added = await command(directory, ['user', 'add', 'carol', '--json'], 'correct horse\n');
    t.equal(added.status, 0, added.stderr);
    const { sub: subject } = JSON.parse(added.stdout);
    const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock, encryptionKeys });
    t.teardown(() => records.close());
    await records.adoptUserKey(await newUserKey(subject, 'ES256', clock()));
    const kids = async () => (await records.listEvents(0, 10)).filter(({ kind }) => kind === 'kid').length;
    t.equal((await command(directory, ['user', 'set-password', 'carol'], 'battery staple\n')).status, 0);
    t.equal((await records.findCurrentUserKey(subject, 'ES256')) === undefined, rotates);
    t.equal(await kids(), rotates ? 1 : 0);
    await records.adoptUserKey(await newUserKey(subject, 'ES256', clock()));
    t.equal((await command(directory, ['user', 'remove', 'carol'])).status, 0);
    t.equal(await records.findCurrentUserKey(subject, 'ES256'), undefined);
    t.equal(await kids(), rotates ? 2 : 1);
  }
});

t.test('`user rotate-key` reports what it did, or why it failed', async (t) => {
  const directory = temporaryFolder(t);
  writeConfig(directory, { extra });
  const idle = await command(directory, ['user', 'rotate-key', 'ALICE']);
  t.strictSame([idle.status, idle.stderr], [0, '']);
  t.match(idle.stdout, /no key/);
  t.match(await command(directory, ['user', 'rotate-key', 'nobody']), { status: 1, stderr: /there is no user nobody/ });
  writeFileSync(
    join(directory, 'authorization.yaml'),
    readFileSync(join(directory, 'authorization.yaml'), 'utf8').replace('user_keys: true', 'user_keys: false'),
  );
  const off = await command(directory, ['user', 'rotate-key', 'alice']);
  t.match(off, { status: 1, stderr: /user_keys: true/ });
});

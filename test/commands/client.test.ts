import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { sha256 } from '../../src/base/secret.ts';
import { openRecords } from '../../src/storage/open.ts';
import { basic, configuration, run, shop } from '../authorization/running-service.ts';
import { accessToken } from '../contracts/records/samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { beside, commands, file } from './administered.ts';

// each command is a separate process
/** Opens services: 42 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const grant = { grant_type: 'client_credentials' };

t.test('a new client immediately gets tokens from the running service', async (t) => {
  const { service, json, gatehouse } = await beside(t);
  const added = json([
    'client',
    'add',
    '--name',
    'New',
    '--scope',
    'orders.read',
    '--grant-type',
    'client_credentials',
  ]);
  t.match(added, { client_id: /^[a-z2-7]{20}$/, client_secret: /^cs_[A-Za-z0-9_-]{43}$/ });
  const client = { id: added.client_id, secret: added.client_secret };
  const token = await service.token({}, client);
  t.match(await service.introspect(token), { active: true, client_id: client.id, scope: 'orders.read' });
  const listed = gatehouse(['client', 'list']).stdout;
  t.match(listed, new RegExp(`${client.id}\\s+New\\s+client_credentials\\s+orders.read\\s+store`));
  t.match(listed, /shop\s+shop\s+client_credentials\s+orders.read\s+file/);
  t.notOk(listed.includes(client.secret));
});

t.test('a client has two valid secrets during a rotation, and a third ends the oldest', async (t) => {
  const { service, json } = await beside(t);
  const added = json(['client', 'add', '--id', 'c', '--scope', 'orders.read', '--grant-type', 'client_credentials']);
  const second = json(['client', 'rotate-secret', 'c']);
  for (const secret of [added.client_secret, second.client_secret])
    t.equal((await service.post('/oauth2/token', grant, basic({ id: 'c', secret }))).status, 200);
  const third = json(['client', 'rotate-secret', 'c', '--overlap', '0s']);
  const status = async (secret: string) =>
    (await service.post('/oauth2/token', grant, basic({ id: 'c', secret }))).status;
  t.equal(await status(added.client_secret), 401);
  t.equal(await status(second.client_secret), 401);
  t.equal(await status(third.client_secret), 200);
  t.equal((await service.post('/oauth2/token', { ...grant, client_id: 'c' })).status, 401, 'and it is no public one');
});

t.test('a client whose secrets have all expired is refused, and does not become a public client', async (t) => {
  const { service, json } = await beside(t);
  json([
    'client',
    'add',
    '--id',
    'c',
    '--scope',
    'orders.read',
    '--grant-type',
    'authorization_code',
    '--redirect-uri',
    'https://c.example/cb',
  ]);
  const now = Math.floor(Date.now() / 1000);
  const made = { hash: new Uint8Array(32).fill(7), createdAt: now, expiresAt: now };
  await service.service.records.rotateClientSecret({ id: 'c', secret: made, oldUntil: now, now });
  const answer = await service.post('/oauth2/token', { grant_type: 'authorization_code', client_id: 'c', code: 'x' });
  t.equal(answer.status, 401);
});

t.test('removing a client ends its tokens', async (t) => {
  const { service, json } = await beside(t);
  const added = json([
    'client',
    'add',
    '--scope',
    'orders.read',
    '--grant-type',
    'client_credentials',
    '--format',
    'jwt',
  ]);
  const client = { id: added.client_id, secret: added.client_secret };
  const token = await service.token({}, client);
  json(['client', 'remove', client.id]);
  t.strictSame(await service.introspect(token), { active: false });
  t.equal((await service.post('/oauth2/token', grant, basic(client))).status, 401);
});

t.test('the command that removes a client says what stays valid', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  gatehouse(['client', 'add', '--id', 'c']);
  t.match(
    gatehouse(['client', 'remove', '--help']).stdout,
    /gateways that verify\s+JWTs\s+locally\s+accept\s+these\s+JWTs\s+until\s+they\s+expire/,
  );
  t.match(
    gatehouse(['client', 'remove', 'c']).stdout,
    /c and its grants are removed.*verify JWTs locally accept these JWTs until/,
  );
});

t.test('if the file and the store have a client with the same id, the file wins and the commands say so', async (t) => {
  const directory = temporaryFolder(t);
  const { gatehouse, json } = commands(directory);
  json([
    'client',
    'add',
    '--id',
    'late',
    '--name',
    'Of the store',
    '--scope',
    'orders.read',
    '--grant-type',
    'client_credentials',
  ]);
  const config = join(directory, 'authorization.yaml');
  appendFileSync(
    config,
    `  - { client_id: late, client_secret: ${shop.secret}, client_name: Of the file, grant_types: [client_credentials], scope: orders.read }\n`,
  );
  const row = json(['client', 'list']).filter(({ client_id }: { client_id: string }) => client_id === 'late');
  t.match(row, [{ client_name: 'Of the file', registered: 'file', shadows: true }]);
  t.match(gatehouse(['client', 'list']).stdout, /late\s+Of the file.*file, hides the client in the store/);
  t.match(json(['client', 'show', 'late']), {
    client_name: 'Of the file',
    registered: 'file',
    shadows: true,
    secrets: [],
  });
  const rotated = gatehouse(['client', 'rotate-secret', 'late']);
  t.equal(rotated.status, 1);
  t.match(rotated.stderr, /is in the file: change its secret there/);

  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  t.teardown(() => records.close());
  const now = Math.floor(Date.now() / 1000);
  await records.saveAccessToken(accessToken('of late', { clientId: 'late', issuedAt: now, expiresAt: now + 60 }));
  t.match(
    gatehouse(['client', 'remove', 'late']).stdout,
    /The client of the same id in the file stays active, and its tokens stay valid/,
  );
  t.ok(await records.findAccessToken(sha256('of late'), now), 'and so they do');
  t.match(json(['client', 'show', 'late']), { registered: 'file', shadows: false });
  t.match(gatehouse(['client', 'remove', 'late']).stderr, /is in the file: remove it there/);
});

t.test('a setting that a client omits follows the file and the defaults, now and later', async (t) => {
  const directory = temporaryFolder(t);
  const { json } = commands(directory);
  json(['client', 'add', '--id', 'silent', '--scope', 'orders.read', '--grant-type', 'client_credentials']);
  json(['client', 'add', '--id', 'said', '--retry-window', '1m', '--no-pkce', '--claims', '{"tenant":"acme"}']);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  const bare = { id: 'bare', metadata: { of_tomorrow: [1] }, secrets: [], createdAt: 0 };
  await records.addClient(bare);
  t.strictSame((await records.findClient('silent', 0))?.metadata, {
    redirect_uris: [],
    scope: 'orders.read',
    grant_types: ['client_credentials'],
    public: false,
  });
  const { tokens } = configuration();
  const service = await run(t, {
    records,
    config: { tokens: { ...tokens, refresh: { ...tokens.refresh, retry_window: 7000 } } },
  });
  const { clients } = service.service;
  t.match(await clients.find('silent'), {
    retryWindow: 7000,
    requirePkce: true,
    session: false,
    claims: {},
    isPublic: false,
  });
  t.match(await clients.find('said'), { retryWindow: 60_000, requirePkce: false, claims: { tenant: 'acme' } });
  t.match(await clients.find('bare'), {
    name: 'bare',
    retryWindow: 7000,
    redirectUris: [],
    grantTypes: [],
    introspect: false,
  });
});

t.test('a registration that is not readable is named, and can be removed', async (t) => {
  const directory = temporaryFolder(t);
  const { gatehouse } = commands(directory);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  await records.addClient({ id: 'odd', metadata: { grant_types: 'all' }, secrets: [], createdAt: 0 });
  await records.close();
  const shown = gatehouse(['client', 'show', 'odd']);
  t.equal(shown.status, 1);
  t.match(shown.stderr, /^gatehouse: the client odd in the store cannot be read: `grant_types`: .*\n$/);
  const listed = gatehouse(['client', 'list']);
  t.match(listed.stdout, /shop.*file/, 'the others are there');
  t.match(listed.stderr, /^gatehouse: warning: the client odd in the store cannot be read\n$/);
  t.equal(gatehouse(['client', 'remove', 'odd']).status, 0);
  t.equal(gatehouse(['client', 'list']).stderr, '');
});

t.test('a new client gets the same warnings as a client in the file', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  const added = gatehouse(['client', 'add', '--grant-type', 'password', '--scope', 'orders.read', '--json']);
  t.match(added.stderr, /^gatehouse: warning: .*password.*\n$/);
  t.match(JSON.parse(added.stdout), { client_secret: /^cs_/ });
});

t.test('a client is checked alone: faults elsewhere in the file do not matter', async (t) => {
  const directory = temporaryFolder(t);
  const { gatehouse } = commands(directory);
  const config = join(directory, 'authorization.yaml');
  writeFileSync(config, `${file}listen: 127.0.0.1:18081\nsession: { enabled: true }\n`);
  const asked = ['client', 'add', '--scope', 'orders.read', '--grant-type', 'authorization_code'];
  t.match(gatehouse(asked).stderr, /^gatehouse: `authorization_code` redirects [^\n]*--redirect-uri[^\n]*\n$/);
  const added = gatehouse([...asked, '--redirect-uri', 'https://c.example/cb', '--session']);
  t.strictSame([added.status, added.stderr], [0, ''], 'the exchange is on');
});

t.test('a client without any grant causes a warning, and a gateway does not', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  t.match(gatehouse(['client', 'add']).stderr, /^gatehouse: warning: this client has no grant.*--grant-type.*\n$/);
  t.equal(gatehouse(['client', 'add', '--introspect']).stderr, '');
});

t.test('the help of rotate-secret shows a duration', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  t.match(gatehouse(['client', 'rotate-secret', '--help']).stdout, /\(default: 24h\)/);
});

const refusals: [title: string, args: readonly string[], input: string, message: RegExp][] = [
  ['an id that is taken', ['client', 'add', '--id', 'shop'], '', /the client shop already exists/],
  ['a scope that is not one', ['client', 'add', '--scope', 'orders.raed'], '', /orders\.raed.*orders\.read/],
  [
    'several mistakes, at once',
    ['client', 'add', '--id', 'shop', '--scope', 'orders.raed', '--redirect-uri', 'javascript:x'],
    '',
    /^(?=[\s\S]*the client shop already exists)(?=[\s\S]*orders\.raed)(?=[\s\S]*javascript)/,
  ],
  ['a redirect address that is none', ['client', 'add', '--redirect-uri', 'javascript:x'], '', /javascript/],
  [
    'a grant without its redirect address',
    ['client', 'add', '--grant-type', 'authorization_code'],
    '',
    /^gatehouse: `authorization_code` redirects a browser.*: write `--redirect-uri https:[^`]+`\n$/,
  ],
  ['a client of the file', ['client', 'remove', 'shop'], '', /is in the file/],
  ['an unknown client', ['client', 'show', 'nobody'], '', /there is no client nobody/],
  ['a user without a password', ['user', 'add', 'carol'], '', /password/],
  ['a short password', ['user', 'add', 'carol'], 'short\n', /8/],
  ['an unknown user', ['user', 'remove', 'carol'], '', /there is no user carol/],
];

t.test('a failure is one line, and changes nothing', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  for (const [title, args, input, message] of refusals) {
    const ended = gatehouse(args, input);
    t.equal(ended.status, 1, title);
    t.match(ended.stderr, message, title);
    t.equal(ended.stdout, '', title);
    t.notMatch(ended.stderr, /at .*\.ts:/, 'no stack');
  }
});

t.test('a usage error has status 2', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  for (const args of [
    ['client', 'add', '--claims', '[1]'],
    ['client', 'rotate-secret', 'c', '--overlap', 'soon'],
    ['user'],
  ])
    t.equal(gatehouse(args).status, 2, args.join(' '));
});

t.test('the audit log records what a command changes, and no secret', async (t) => {
  const directory = temporaryFolder(t);
  const { json, gatehouse } = commands(directory);
  const added = json(['client', 'add', '--id', 'c', '--scope', 'orders.read', '--grant-type', 'client_credentials']);
  json(['client', 'rotate-secret', 'c']);
  gatehouse(['client', 'list']);
  json(['client', 'remove', 'c']);
  const lines = readFileSync(join(directory, 'audit.jsonl'), 'utf8').trim().split('\n');
  t.strictSame(
    lines.map((line) => JSON.parse(line)).map(({ event, client_id, detail }) => [event, client_id, detail]),
    ['client_added', 'client_secret_rotated', 'client_removed'].map((event) => [event, 'c', 'by command']),
  );
  t.notOk(lines.join().includes(added.client_secret));
});

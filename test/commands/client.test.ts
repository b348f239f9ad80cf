import t from 'tap';
import { basic, temporaryDirectory } from '../authorization/running-service.ts';
import { beside, commands } from './administered.ts';

const grant = { grant_type: 'client_credentials' };

t.test('a client that is added gets tokens from the running service at once', async (t) => {
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

t.test('two secrets of a client live while one is rotated, and the older of three ends', async (t) => {
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

t.test('a client whose secrets all ended is refused, not taken for a public one', async (t) => {
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

const refusals: [title: string, args: readonly string[], input: string, message: RegExp][] = [
  ['an id that is taken', ['client', 'add', '--id', 'shop'], '', /there is a client shop already/],
  ['a scope that is not one', ['client', 'add', '--scope', 'orders.raed'], '', /orders\.raed.*orders\.read/],
  ['a redirect address that is none', ['client', 'add', '--redirect-uri', 'javascript:x'], '', /javascript/],
  [
    'a grant without its redirect address',
    ['client', 'add', '--grant-type', 'authorization_code'],
    '',
    /redirect_uris/,
  ],
  ['a client of the file', ['client', 'remove', 'shop'], '', /stands in the file/],
  ['an unknown client', ['client', 'show', 'nobody'], '', /there is no client nobody/],
  ['a user without a password', ['user', 'add', 'carol'], '', /password/],
  ['a short password', ['user', 'add', 'carol'], 'short\n', /8/],
  ['an unknown user', ['user', 'remove', 'carol'], '', /there is no user carol/],
];

t.test('what cannot be done is said in one line, and nothing is changed', async (t) => {
  const { gatehouse } = commands(temporaryDirectory(t));
  for (const [title, args, input, message] of refusals) {
    const ended = gatehouse(args, input);
    t.equal(ended.status, 1, title);
    t.match(ended.stderr, message, title);
    t.equal(ended.stdout, '', title);
    t.notMatch(ended.stderr, /at .*\.ts:/, 'no stack');
  }
});

t.test('a usage error has status 2', async (t) => {
  const { gatehouse } = commands(temporaryDirectory(t));
  for (const args of [
    ['client', 'add', '--claims', '[1]'],
    ['client', 'rotate-secret', 'c', '--overlap', 'soon'],
    ['user'],
  ])
    t.equal(gatehouse(args).status, 2, args.join(' '));
});

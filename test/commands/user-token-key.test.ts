import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { refreshed, tokens } from '../authorization/grant-flow.ts';
import { passwordHash, run, shop, web } from '../authorization/running-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { beside, commands, file } from './administered.ts';

// each command is a separate process
/** Opens services: 26 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

t.test('users are added, listed and removed; the password never comes from the arguments', async (t) => {
  const { service, json, gatehouse } = await beside(t);
  const added = json(['user', 'add', 'Carol', '--name', 'Carol C', '--claims', '{"tenant":"acme"}'], 'correct horse\n');
  const account = await service.service.accounts.find('CAROL');
  t.match(account, { subject: added.sub, username: 'carol', name: 'Carol C', claims: { tenant: 'acme' } });
  t.match(await service.service.passwords.verify(account?.passwordHash, 'correct horse'), { kind: 'matches' });
  t.match(gatehouse(['user', 'list']).stdout, /carol\s+Carol C\s+[0-9a-f-]{36}\s+store/);
  t.equal(gatehouse(['user', 'add', 'carol'], 'correct horse\n').status, 1, 'once');
  json(['user', 'set-password', 'carol'], 'battery staple\n');
  const changed = await service.service.accounts.find('carol');
  t.match(await service.service.passwords.verify(changed?.passwordHash, 'battery staple'), { kind: 'matches' });
  json(['user', 'remove', 'carol']);
  t.equal(await service.service.accounts.find('carol'), undefined);
});

t.test('a password change ends what the user granted', async (t) => {
  const { service, json } = await beside(t);
  const { sub } = json(['user', 'add', 'carol'], 'correct horse\n');
  const first = await tokens(service, { subject: sub, username: 'carol' });
  t.equal((await service.introspect(first.access_token)).active, true);
  json(['user', 'set-password', 'carol'], 'battery staple\n');
  t.equal((await service.introspect(first.access_token)).active, false);
});

t.test('a command signs a user of the file or the store out everywhere', async (t) => {
  const directory = temporaryFolder(t);
  const service = await run(t, { directory });
  const { gatehouse, json } = commands(
    directory,
    `users: [{ username: bob, password_argon2: '${passwordHash('x')}' }]\n`,
  );
  const { sub } = json(['user', 'add', 'carol'], 'correct horse\n');
  const [his, hers, others] = [
    await tokens(service, { subject: 'bob', username: 'bob' }),
    await tokens(service, { subject: sub, username: 'carol' }),
    await tokens(service),
  ];
  t.strictSame(json(['user', 'sign-out', 'BOB']), { username: 'BOB', sub: 'bob', signed_out: true });
  t.strictSame(await service.introspect(his.access_token), { active: false });
  t.match(await service.introspect(hers.access_token), { active: true });
  t.match(gatehouse(['user', 'sign-out', 'carol']).stdout, /^Every session, grant and token of carol ends\./);
  t.strictSame(await service.introspect(hers.access_token), { active: false });
  t.match(await service.introspect(others.access_token), { active: true });
  t.match(gatehouse(['user', 'sign-out', 'nobody']).stderr, /there is no user nobody/);
  t.match(gatehouse(['user', 'sign-out', '--help']).stdout, /also accepts users of the file/);
  const audit = readFileSync(join(directory, 'audit.jsonl'), 'utf8').trim().split('\n');
  t.strictSame(
    audit.map((line) => JSON.parse(line)).map(({ event, sub, detail }) => [event, sub, detail]),
    [
      ['user_added', sub, 'by command'],
      ['signed_out_everywhere', 'bob', 'by command'],
      ['signed_out_everywhere', sub, 'by command'],
    ],
  );
});

t.test('the operator can inspect and revoke a token', async (t) => {
  const { service, json, gatehouse } = await beside(t);
  for (const client of [shop, { id: 'shop-jwt', secret: shop.secret }]) {
    const token = await service.token({}, client);
    t.match(json(['token', 'introspect'], token), { active: true, client_id: client.id });
  }
  const other = await service.token();
  t.match(
    gatehouse(['token', 'revoke'], `${other}\n`).stdout,
    /is revoked\.\nGateways .* within a second\. Other gateways .* for up to `cache\.ttl`/,
  );
  const token = await service.token();
  t.match(gatehouse(['token', 'introspect'], `${token}\n`).stdout, /active\s+true/);
  t.strictSame(json(['token', 'revoke'], token), { revoked: true });
  t.strictSame(await service.introspect(token), { active: false });
  t.strictSame(json(['token', 'revoke'], token), { revoked: false });
  t.strictSame(json(['token', 'introspect'], 'nonsense'), { active: false });
  const audit = readFileSync(join(service.directory, 'audit.jsonl'), 'utf8');
  t.match(audit, /"event":"token_revoked".*"detail":"by command"/);
  t.notOk(audit.includes(token));
});

t.test('revoking a refresh token by command also ends its grant', async (t) => {
  const directory = temporaryFolder(t);
  const service = await run(t, { directory });
  const { json } = commands(directory);
  writeFileSync(
    join(directory, 'authorization.yaml'),
    `${file}  - { client_id: web, client_secret: ${web.secret}, scope: orders.read, grant_types: [authorization_code, refresh_token], redirect_uris: ['https://shop.example.com/callback'] }\n`,
  );
  const { access_token, refresh_token } = await tokens(service);
  t.strictSame(json(['token', 'revoke'], refresh_token), { revoked: true });
  t.equal((await service.introspect(access_token)).active, false);
});

t.test('a used refresh token still identifies its grant, which ends', async (t) => {
  const directory = temporaryFolder(t);
  const service = await run(t, { directory });
  const { json, gatehouse } = commands(directory);
  const first = await tokens(service);
  const second = await refreshed(service, first.refresh_token);
  t.strictSame(json(['token', 'revoke'], first.refresh_token), { revoked: true });
  t.equal((await service.introspect(second.access_token)).active, false);
  const unknown = gatehouse(['token', 'revoke'], `${first.refresh_token.slice(0, -8)}AAAAAAAA`);
  t.match(unknown.stdout, /is unknown/);
});

t.test('only a command that records something creates the audit file', async (t) => {
  const directory = temporaryFolder(t);
  const { json } = commands(directory);
  const audit = join(directory, 'audit.jsonl');
  json(['client', 'list']);
  json(['token', 'revoke'], 'nonsense');
  t.notOk(existsSync(audit));
});

t.test('a user who is removed in the meantime is not reported as changed', async (t) => {
  const { gatehouse } = commands(temporaryFolder(t));
  for (const args of [
    ['user', 'set-password', 'nobody'],
    ['user', 'remove', 'nobody'],
    ['user', 'sign-out', 'nobody'],
    ['client', 'remove', 'nobody'],
  ]) {
    const ended = gatehouse(args, 'battery staple\n');
    t.strictSame([ended.status, ended.stdout], [1, '']);
    t.match(ended.stderr, /there is no (user|client) nobody/);
  }
});

t.test(
  'T40: a rotated key is published before it signs, and the old one until its last token has expired',
  async (t) => {
    const { service, json, gatehouse } = await beside(t);
    const kids = async () => {
      const answer = (await (await fetch(`${service.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
      return answer.keys.map(({ kid }) => kid);
    };
    const shopJwt = { id: 'shop-jwt', secret: shop.secret };
    const [old] = await kids();
    const before = await service.token({}, shopJwt);
    const { kid } = json(['key', 'rotate']);
    await service.service.keys.refresh();
    t.strictSame((await kids()).toSorted(), [old, kid].toSorted());
    t.equal(signer(await service.token({}, shopJwt)), old, 'it is known before it signs');
    t.equal(gatehouse(['key', 'rotate']).status, 1, 'one at a time');
    const soon = Math.floor(Date.now() / 1000) + 3600;
    await service.service.records.promoteSigningKey({ alg: 'ES256', publishedBefore: soon, now: soon - 3600 });
    await service.service.keys.refresh();
    t.equal(signer(await service.token({}, shopJwt)), kid);
    t.equal((await service.introspect(before)).active, true, 'what the old one signed is good to its end');
    t.match(gatehouse(['key', 'list']).stdout, new RegExp(`${old}\\s+ES256\\s+retired`));
  },
);

t.test('a leaked key is replaced immediately, and its signatures become invalid', async (t) => {
  const { service, json, gatehouse } = await beside(t);
  const shopJwt = { id: 'shop-jwt', secret: shop.secret };
  const before = await service.token({}, shopJwt);
  json(['key', 'rotate']);
  const { kid } = json(['key', 'rotate', '--now']);
  await service.service.keys.refresh();
  t.strictSame(await service.introspect(before), { active: false });
  const after = await service.token({}, shopJwt);
  t.equal(signer(after), kid);
  t.equal((await service.introspect(after)).active, true);
  t.equal(gatehouse(['key', 'list']).stdout.trim().split('\n').length, 2, 'one line under the heading');
  for (const flag of ['--now', '--help'])
    t.match(gatehouse(['key', 'rotate', flag]).stdout, /Restart gateways .*`jwks\.ttl`/, flag);
});

function signer(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

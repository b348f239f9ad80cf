import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { parseApiKeys } from '../../src/config/files/api-keys.ts';
import { hashApiKey, hmacApiKey, isOurApiKey } from '../../src/http-auth/api-key.ts';
import { commandReading } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { commands } from './administered.ts';

/** Starts the program for each command. */
t.setTimeout(120_000);

const apiKey = (input: string, ...args: string[]) => commandReading(input, ['api-key', ...args]);

t.test('a key is shown once, and the file has only its hash and is readable only by its owner', async (t) => {
  const file = `${t.testdir()}/keys`;
  const made = await apiKey(
    '',
    'create',
    '--file',
    file,
    '--client',
    'meter-7',
    '--scope',
    'a b',
    '--expires',
    '90d',
    '--json',
  );
  t.equal(made.status, 0, made.stderr);
  const { key, id } = JSON.parse(made.stdout) as { key: string; id: string };
  t.ok(isOurApiKey(key));
  t.ok(key.startsWith(id));
  const text = readFileSync(file, 'utf8');
  t.notOk(text.includes(key));
  const hash = hashApiKey(Buffer.from(key));
  const [entry] = parseApiKeys(text).users;
  t.match(entry, { id, kind: 'sha256', hash, client: 'meter-7', scopes: ['a', 'b'] });
  t.ok(Math.abs((entry?.expiresAt ?? 0) - Date.now() / 1000 - 90 * 86_400) < 3600);
  t.equal(statSync(file).mode & 0o777, 0o600);
  const again = await apiKey('', 'create', '--file', file, '--client', 'meter-8');
  t.match(again, { status: 0, stdout: /^key +ghk_\S{49}\n(?:.+\n)+\nThe key is shown only now/ });
  t.match(
    (await apiKey('', 'list', '--file', file)).stdout,
    /^ID .*\nghk_\S+ +meter-7 +\S+ +sha256 +a b\nghk_\S+ +meter-8 +never/,
  );
});

t.test('a key is revoked by its id, and everything else stays', async (t) => {
  const rest = `# of meters\n\nother sha256:${'A'.repeat(43)} b -\n`;
  const file = `${t.testdir({ keys: `${rest}ghk_1 sha256:${'B'.repeat(43)} a - read\n` })}/keys`;
  t.match(await apiKey('', 'revoke', 'ghk_1', '--file', file), { status: 0, stdout: /the key ghk_1 of a is removed/ });
  t.equal(readFileSync(file, 'utf8'), rest);
  t.match(await apiKey('', 'revoke', 'ghk_1', '--file', file), { status: 1, stderr: /there is no key ghk_1/ });
});

t.test('existing keys are hashed during the import; short ones need a secret, and cause a warning', async (t) => {
  const directory = t.testdir();
  const [file, secretFile] = [`${directory}/keys`, `${directory}/secret`];
  const [long, secret] = [randomBytes(24).toString('base64url'), randomBytes(32)];
  const input = `# old ones\n${long} partner orders.read\nabc12345 meter read write\n`;
  const refused = await apiKey(input, 'import', '--file', file);
  t.match(refused, { status: 1, stderr: /line 3 of the input: a key with fewer than 128 bits/ });
  writeFileSync(secretFile, `${secret.toString('base64')}\n`, { mode: 0o600 });
  const taken = await apiKey(input, 'import', '--file', file, '--hmac-key', secretFile);
  t.match(taken, { status: 0, stdout: /^2 added, 0 already exist\n1 with fewer than 128 bits/ });
  const text = readFileSync(file, 'utf8');
  for (const told of [refused.stderr, taken.stdout, text]) t.notOk(told.includes(long) || told.includes('abc12345'));
  t.match(parseApiKeys(text).users, [
    { kind: 'sha256', hash: hashApiKey(Buffer.from(long)), client: 'partner', scopes: ['orders.read'] },
    { kind: 'hmac', hash: hmacApiKey(secret, Buffer.from('abc12345')), client: 'meter', scopes: ['read', 'write'] },
  ]);
  t.match(await apiKey(input, 'import', '--file', file, '--hmac-key', secretFile), {
    status: 0,
    stdout: /^0 added, 2 already exist\n$/,
  });
  t.equal(readFileSync(file, 'utf8'), text);
});

t.test('a key that cannot be saved changes nothing, and no message quotes a key', async (t) => {
  const file = `${t.testdir({ keys: 'broken\n' })}/keys`;
  const cases: readonly (readonly [status: number, input: string, args: readonly string[], RegExp])[] = [
    [1, '', ['create', '--client', 'a b'], /the name of a client must be printable ASCII/],
    [1, '', ['create', '--client', 'a', '--scope', 'a  b'], /single spaces/],
    [1, '', ['create', '--client', 'a'], /keys:1: this is not a line of an API key/],
    [2, '', ['create', '--client', 'a', '--expires', 'soon'], /Write 90d/],
    [2, '', ['create', '--client', 'a', '--expires', '2020-01-01'], /has passed/],
    [2, '', ['create', '--client', 'a', '--expires', '9999999d'], /after the year 9999: write --expires never/],
    [1, 'hunter2 a\nhunter2 b\n', ['import'], /line 2 of the input: line 1 has the same key/],
    [1, 'hunter2\n', ['import'], /line 1 of the input: this is not `KEY CLIENT/],
    [1, 'hünter2 a\n', ['import'], /a key is printable ASCII/],
  ];
  for (const [status, input, args, words] of cases) {
    const ended = await apiKey(input, ...args, '--file', file);
    t.match(ended, { status, stdout: '', stderr: words });
    t.notMatch(ended.stderr, /h.nter2/);
  }
  t.equal(readFileSync(file, 'utf8'), 'broken\n');
});

t.test('rotating a key creates a new one for the same client and scopes, and gives the old one an end', async (t) => {
  const rest = `# of meters\nother sha256:${'A'.repeat(43)} b -\n`;
  const file = `${t.testdir({ keys: `${rest}ghk_1 sha256:${'B'.repeat(43)} meter-7 - read write\n` })}/keys`;
  const rotated = await apiKey('', 'rotate', 'ghk_1', '--file', file, '--overlap', '2h', '--json');
  t.equal(rotated.status, 0, rotated.stderr);
  const { id, key } = JSON.parse(rotated.stdout) as { id: string; key: string };
  const text = readFileSync(file, 'utf8');
  t.ok(text.startsWith(rest), 'the other lines stay as they are');
  const [, old, fresh] = parseApiKeys(text).users;
  t.match(old, { id: 'ghk_1', client: 'meter-7', scopes: ['read', 'write'] });
  t.ok(Math.abs((old?.expiresAt ?? 0) - Date.now() / 1000 - 2 * 3600) < 300);
  const expected = { id, hash: hashApiKey(Buffer.from(key)), client: 'meter-7', scopes: ['read', 'write'] };
  t.match(fresh, { ...expected, expiresAt: undefined });

  const again = await apiKey('', 'rotate', 'ghk_1', '--file', file);
  t.match(again, { status: 1, stderr: /the key ghk_1 expires at .*: say when the new key expires/ });
  t.equal(readFileSync(file, 'utf8'), text);
  const atOnce = await apiKey('', 'rotate', 'ghk_1', '--file', file, '--overlap', '0s', '--expires', 'never');
  t.match(atOnce, { status: 0, stdout: /^old_key +ghk_1\nold_key_until +\d{4}-/m });
  t.ok(
    (parseApiKeys(readFileSync(file, 'utf8')).users[1]?.expiresAt ?? 0) <= Date.now() / 1000,
    'the old one has ended',
  );
  t.match(await apiKey('', 'rotate', 'ghk_9', '--file', file), { status: 1, stderr: /there is no key ghk_9/ });
});

t.test(
  'keys of the store are created, listed, rotated, imported and revoked, and the audit log records each change',
  async (t) => {
    const directory = temporaryFolder(t);
    const { gatehouse, json } = commands(directory);
    const made = json(['api-key', 'create', '--client', 'meter-7', '--scope', 'read']);
    t.ok(isOurApiKey(made.key));
    const rotated = json(['api-key', 'rotate', made.id, '--overlap', '0s']);
    const long = randomBytes(24).toString('base64url');
    const imported = json(['api-key', 'import', '--expires', '90d'], `${long} partner read\n`);
    t.match(imported, { added: [{ client: 'partner', scope: 'read' }], kept: [], short: [] });
    t.match(json(['api-key', 'import'], `${long} partner read\n`), { added: [], kept: [imported.added[0].id] });
    const listed = json(['api-key', 'list']) as readonly { id: string; client: string }[];
    t.strictSame(
      new Set(listed.map(({ id, client }) => `${client} ${id}`)),
      new Set([`meter-7 ${made.id}`, `meter-7 ${rotated.id}`, `partner ${imported.added[0].id}`]),
    );
    t.match(json(['api-key', 'revoke', made.id]), { id: made.id, client: 'meter-7', revoked: true });
    t.match(gatehouse(['api-key', 'revoke', made.id]), { status: 1, stderr: /there is no key ghk_\S+ in the store/ });
    const audit = readFileSync(`${directory}/audit.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.match(audit, [
      { event: 'api_key_created', client_id: 'meter-7', scope: 'read', detail: `by command: ${made.id}` },
      { event: 'api_key_rotated', client_id: 'meter-7', detail: `by command: ${made.id} replaced by ${rotated.id}` },
      { event: 'api_key_imported', detail: 'by command: 1 keys' },
      { event: 'api_key_imported', detail: 'by command: 0 keys' },
      { event: 'api_key_revoked', client_id: 'meter-7', detail: `by command: ${made.id}` },
    ]);
    for (const { key } of [made, rotated]) t.notOk(JSON.stringify(audit).includes(key));
  },
);

t.test('the other lines of a file keep their line ends, and a link still leads to the file', async (t) => {
  const directory = t.testdir();
  const [file, link] = [`${directory}/keys`, `${directory}/link`];
  writeFileSync(file, `# ours\r\nghk_1 sha256:${'B'.repeat(43)} a - read\r\n# theirs\r\n`, { mode: 0o600 });
  symlinkSync(file, link);
  const { status, stderr } = await apiKey('', 'rotate', 'ghk_1', '--file', link, '--overlap', '9999999d');
  t.equal(status, 0, stderr);
  t.ok(lstatSync(link).isSymbolicLink());
  t.match(
    readFileSync(file, 'utf8'),
    /^# ours\r\nghk_1 \S+ a 9999-12-31T23:59:59Z read\r\n# theirs\n\S+ \S+ a - read\n$/,
  );
  t.match(await apiKey('', 'list', '--file', file), { status: 0, stdout: /9999-12-31/ });
});

t.test('a file that is not UTF-8 stays unchanged', async (t) => {
  const file = `${t.testdir()}/keys`;
  const octets = Buffer.from('# Schl\xfcssel\n', 'latin1');
  writeFileSync(file, octets, { mode: 0o600 });
  t.match(await apiKey('', 'create', '--file', file, '--client', 'a'), { status: 1, stderr: /cannot be read/ });
  t.strictSame(readFileSync(file), octets);
});

t.test('either --file or --config says where the keys are', async (t) => {
  t.match(await apiKey('', 'list'), { status: 2, stderr: /give either --file or --config/ });
});

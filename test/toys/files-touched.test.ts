import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import type * as authorizationModule from '../../src/authorization/authorization.ts';
import type * as loadModule from '../../src/config/load/load.ts';
import { schemeNames } from '../../src/config/schema/http-schemes.ts';
import type * as startModule from '../../src/gateway/lifecycle/start.ts';
import type * as generateModule from '../../tools/generate.ts';
import { basic, requests } from '../authorization/running-service.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { additions } from './additions.ts';
import { type Addition, copyProgram } from './program-copy.ts';

/** Compiles the program twice and starts it seven times: 40 s on a busy machine. */
t.setTimeout(180_000);

/** Files of src that a contributor edits, and what is new there: a file, or a folder. */
function touched({ added, edits }: Addition): readonly string[] {
  const files = [...(added === undefined ? [] : [added.to]), ...edits.map(({ file }) => file)];
  return [...new Set(files.filter((file) => file.startsWith('src/')))];
}

/** The modules that the toy scheme replaces. */
const replacedTables = [
  ...readFileSync(new URL('scheme/tables.ts', import.meta.url), 'utf8').matchAll(/src\/[a-z/-]+\.ts/g),
].map(([file]) => file);
/** The toy scheme is one folder of the test tree. A scheme of the product has a folder in each of two rooms. */
const toyScheme = ['test/toys/scheme/signature', ...replacedTables];
const places = Object.entries<Addition>(additions).map(([name, addition]) => [name, touched(addition)] as const);

t.test('a grant, a scheme, a code, an engine, a metric and a key need changes in at most three places', async (t) => {
  for (const [name, each] of [...places, ['credential scheme', toyScheme] as const]) {
    t.ok(each.length <= 3, `${name}: ${each.join(', ')}`);
    t.comment(`| ${name} | ${each.length} | ${each.join(', ')} |`);
  }
});

t.test('a scheme of the product is two folders and two rows, which decision 25 explains', async (t) => {
  const page = readFileSync(new URL('../../docs/decisions/0025-credential-schemes.md', import.meta.url), 'utf8');
  for (const name of schemeNames) {
    const folders = globSync(`src/**/schemes/${name}`).sort();
    const each = [...folders, ...replacedTables];
    t.strictSame(folders, [`src/config/schemes/${name}`, `src/gateway/schemes/${name}`]);
    t.equal(each.length, 4);
    t.comment(`| ${name} | ${each.length} | ${each.join(', ')} |`);
  }
  t.match(page, '| credential scheme | 4 | two folders, two tables |');
});

t.test('decision 25 has the table of places', async (t) => {
  const page = readFileSync(new URL('../../docs/decisions/0025-credential-schemes.md', import.meta.url), 'utf8');
  for (const [name, each] of places)
    t.match(page, `| ${name} | ${each.length} | ${each.map((place) => `\`${place}\``).join(', ')} |`);
});

const program = copyProgram(t, Object.values(additions));
const secret = 'cs_shop-secret-of-32-bytes-or-so';
const shop = { id: 'shop', secret };

function authorizationYaml(clients: readonly object[]): string {
  const body = { issuer: 'http://localhost:8081', listen: '127.0.0.1:0', storage: 'filelog:gatehouse.log' };
  const rest = { resources: ['https://api.example.com'], scopes: { read: 'Read', write: 'Write' } };
  return stringify({ version: 1, ...body, ...rest, clients });
}

function written(name: string, text: string): string {
  const file = join(program.directory, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const narrow = 'urn:example:narrow';
const grants = ['client_credentials', narrow];
const client = { client_id: shop.id, client_secret: secret, scope: 'read write', grant_types: grants };
const service = written('authorization.yaml', authorizationYaml([client]));
const key = Buffer.alloc(32, 7).toString('base64');
const gatewayFile = written(
  'gateway.yaml',
  gatewayYaml(behind('http://127.0.0.1:9', { ticket_keys: [key], admin: '127.0.0.1:0' })),
);

t.test('the program with all of them compiles', async (t) => {
  t.match(await program.types(), { status: 0, stdout: '', stderr: '' });
});

t.test('the compiler names the table in which a row is missing', async (t) => {
  const half = ({ edits }: Addition) => ({ edits: edits.filter(({ file }) => /grant-types|storage-urls/.test(file)) });
  const { status, stdout } = await copyProgram(t, Object.values<Addition>(additions).map(half)).types();
  t.not(status, 0);
  t.match(stdout, /src\/authorization\/grants\/grants\.ts.*"urn:example:narrow"' is missing/);
  t.match(stdout, /src\/storage\/engines\.ts.*'filelog' is missing/);
});

t.test('generated schemas and pages follow from the rows', async (t) => {
  const { generated } = await program.load<typeof generateModule>('tools/generate.ts');
  const files = generated();
  t.match(
    files['docs/errors.md'],
    '| `method_of_webdav` | 403 |  | This gateway does not speak WebDAV. | Ask the API itself for its WebDAV address. |',
  );
  t.match(files['config/authorization.schema.json'], '^(filelog:|sqlite:|postgres(ql)?://).+');
  t.match(files['config/gateway.schema.json'], '^(filelog:|sqlite:|postgres(ql)?://).+');
  t.match(files['config/authorization.schema.json'], `"${narrow}"`);
  t.match(files['docs/configuration.md'], 'filelog:FILE, relative to this file');
  t.match(files['docs/configuration.md'], 'An idle connection stays open for this time longer than clients are told.');
});

t.test('check accepts a file that names the grant and the engine, and applies the rules of their rows', async (t) => {
  t.match(await program.command('check', service), { status: 0 });
  const open = { ...client, client_secret: undefined, grant_types: [narrow] };
  const refused = await program.command('check', written('public.yaml', authorizationYaml([open])));
  t.match(refused, { status: 1, stdout: `\`${narrow}\` needs a client with a secret (RFC 8693 §2.1)` });
});

t.test('check applies the rule of the key', async (t) => {
  const limits = { toy_slack: '40d' };
  const faulty = written('slack.yaml', gatewayYaml(behind('http://127.0.0.1:9', { ticket_keys: [key], limits })));
  t.match(await program.command('check', faulty), {
    status: 1,
    stdout: /a wait of more than 24 days.*toy_slack: 40d/s,
  });
});

t.test('the service issues with the grant, and keeps the tokens in the engine', async (t) => {
  const { loadAuthorizationConfig } = await program.load<typeof loadModule>('src/config/load/load.ts');
  const { buildAuthorization } = await program.load<typeof authorizationModule>('src/authorization/authorization.ts');
  const { buildLog } = await program.load<typeof import('../../src/base/log.ts')>('src/base/log.ts');
  const loaded = loadAuthorizationConfig(service);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const log = buildLog({ level: 'error', format: 'json' }, process.stderr);
  const running = await buildAuthorization(loaded.config, { directory: loaded.directory, log });
  t.teardown(() => running.stop());
  const { url } = await running.start();
  const { post, token } = requests(url);
  const form = { grant_type: narrow, subject_token: await token({}, shop), scope: 'read' };
  const response = await post('/oauth2/token', form, basic(shop));
  t.match({ status: response.status, ...((await response.json()) as object) }, { status: 200, scope: 'read' });
  t.equal((await post('/oauth2/token', { ...form, subject_token: 'x' }, basic(shop))).status, 400);
  t.ok(existsSync(join(program.directory, 'gatehouse.log')));
});

t.test('doctor checks the engine, and the mode of its file and key', async (t) => {
  const { stdout } = await program.command('doctor', '--config', service, '--json');
  const { findings } = JSON.parse(stdout) as { findings: { about: string; verdict: string; message: string }[] };
  const seen = findings.filter(({ about }) => about.includes('gatehouse.log'));
  t.match(
    seen.find(({ about }) => about === 'storage filelog:gatehouse.log'),
    { verdict: 'good', message: 'opens, and has the tables of this version' },
  );
  t.match(
    seen.find(({ about }) => about.startsWith('the key')),
    { verdict: 'good' },
  );
});

t.test('explain shows the refusal at the step that its row names', async (t) => {
  const { stdout } = await program.command('explain', '--config', gatewayFile, '--json', 'PROPFIND', '/public/a');
  const { steps, answer } = JSON.parse(stdout) as { steps: object[]; answer: object };
  t.match(steps[0], { step: 'message', verdict: 'refused', detail: 'This gateway does not speak WebDAV.' });
  t.match(answer, { status: 403, code: 'method_of_webdav' });
});

t.test('a gateway has the metric and refuses with the code; why shows its status, sentence and remedy', async (t) => {
  const { loadGatewayConfig } = await program.load<typeof loadModule>('src/config/load/load.ts');
  const { startGateway } = await program.load<typeof startModule>('src/gateway/lifecycle/start.ts');
  const { systemClock } = await program.load<typeof import('../../src/base/clock.ts')>('src/base/clock.ts');
  const { buildLog } = await program.load<typeof import('../../src/base/log.ts')>('src/base/log.ts');
  const loaded = loadGatewayConfig(gatewayFile);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { config, directory, locate } = loaded;
  const log = buildLog({ level: 'fatal', format: 'json' }, process.stderr);
  const running = await startGateway({ config, directory, locate, clock: systemClock, log });
  t.teardown(() => running.stop());
  t.match(await (await fetch(`${running.adminUrl}/metrics`)).text(), /^gatehouse_toy_failed_reloads 0$/m);
  const { status, body } = await ask(
    running.port,
    'PROPFIND /public/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  t.equal(status, 403);
  const { code, ticket } = JSON.parse(String(body)) as { code: string; ticket: string };
  t.equal(code, 'method_of_webdav');
  const { stdout } = await program.command('why', ticket, '--config', gatewayFile);
  t.match(stdout, /^403 method_of_webdav {3}PROPFIND x\/public\/a\n {2}This gateway does not speak WebDAV\.\n/);
  t.match(stdout, / step +message\n/);
  t.match(stdout, / to do +Ask the API itself for its WebDAV address\.\n/);
});

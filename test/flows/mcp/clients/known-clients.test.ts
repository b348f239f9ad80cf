import t from 'tap';
import { documentHost } from '../../../authorization/documents/document-host.ts';
import { filesIn, textOf } from '../../../docs/cookbook.ts';
import { packagedServer } from '../../../support/mcp/packaged-server.ts';
import { authorizationUrl, discovered, headers, initialize, loggedIn, toolsOf, type Way } from './known-client.ts';
import { openService } from './open-service.ts';
import { extra, scope, stage } from './stage.ts';

/** Starts a server in a separate process, and logs in 16 times: 30 s on a very busy machine. */
t.setTimeout(120_000);

/** The page that says what these clients send. Their makers publish them for no test. */
const page = 'mcp.md';
const files = filesIn(page);
const cors = files.find(({ title }) => title.startsWith('# gateway.yaml: cors'))?.values.cors;

interface FileClient {
  readonly client_id: string;
  readonly client_name?: string;
}

const fileClients: readonly FileClient[] = files.flatMap(({ values }) => values.clients ?? []);
const named = (name: string) => {
  const found = fileClients.find(({ client_name }) => client_name === name);
  if (found === undefined) throw new Error(`the page shows no client ${name}`);
  return { ...found, scope: `${scope} ${extra}` };
};

const host = await documentHost(t);
const documented = (path: string, ...redirect_uris: string[]): Way => ({
  by: 'id',
  id: host.publish(path, { redirect_uris }),
});
const registered = (...addresses: string[]): Way => ({ by: 'registration', addresses });
const inFile = (name: string): Way => ({ by: 'id', id: named(name).client_id });

const web = 'https://claude.ai/api/mcp/auth_callback';
const vscode = ['http://127.0.0.1/', 'https://vscode.dev/redirect'];
const inspector = ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'];

/** `shown`: what the row of the page says. */
const rows: readonly { client: string; way: Way; kind: string; sends: string; shown: readonly string[] }[] = [
  { client: 'Claude on the web', kind: 'a document', way: documented('/claude', web), sends: web, shown: [web] },
  { client: 'Claude on the web', kind: 'registration', way: registered(web), sends: web, shown: ['both'] },
  {
    client: 'Claude on the web',
    kind: 'the file',
    way: inFile('Claude'),
    sends: web,
    shown: [named('Claude').client_id],
  },
  {
    client: 'Claude Code',
    kind: 'a document',
    way: documented('/claude-code', 'http://localhost/callback'),
    sends: 'http://localhost:54321/callback',
    shown: ['http://localhost:PORT/callback', 'any port'],
  },
  {
    client: 'Claude Code',
    kind: 'registration',
    way: registered('http://localhost:54321/callback'),
    sends: 'http://localhost:54321/callback',
    shown: ['both'],
  },
  {
    client: 'Claude Code',
    kind: 'the file',
    way: inFile('Claude Code'),
    sends: 'http://localhost:8088/callback',
    shown: [named('Claude Code').client_id],
  },
  ...['http://127.0.0.1:33418/', 'http://127.0.0.1:50123/', 'https://vscode.dev/redirect'].flatMap((sends) => [
    { client: 'VS Code', kind: 'a document', way: documented('/vscode', ...vscode), sends, shown: vscode },
    { client: 'VS Code', kind: 'registration', way: registered(...vscode), sends, shown: ['33418'] },
  ]),
  ...inspector.map((sends) => ({
    client: 'MCP Inspector',
    kind: 'registration',
    way: registered(...inspector),
    sends,
    shown: ['registration', '/oauth/callback', '/oauth/callback/debug', 'http://localhost:6274'],
  })),
];

const rowOf = (client: string) =>
  textOf(page)
    .split('\n')
    .find((line) => line.startsWith(`| ${client}`));

const clients = [named('Claude'), named('Claude Code')];
const set = await stage(t, await packagedServer(t), {
  service: openService(`${scope} ${extra}`),
  clients,
  gateway: { cors },
});

t.test('the service offers both ways to register', async (t) => {
  const found = await discovered(set);
  t.equal(found.client_id_metadata_document_supported, true);
  t.match(found.registration_endpoint, set.issuer);
});

for (const { client, kind, way, sends, shown } of rows)
  t.test(`${client}, known by ${kind}, arrives at ${sends} and lists the tools`, async (t) => {
    for (const part of shown) t.match(rowOf(client), part, 'as the page says');
    const { token, arrival } = await loggedIn(set, way, sends);
    t.equal(arrival, sends);
    t.match(await toolsOf(set, token), /"name":"echo"/);
  });

t.test('Claude Code in the file arrives only at the port in the file', async (t) => {
  t.match(textOf(page), 'redirect_refused');
  const refused = await fetch(await authorizationUrl(set, inFile('Claude Code'), 'http://localhost:54321/callback'));
  t.equal(refused.status, 400);
  t.match(await refused.text(), 'redirect_refused');
});

t.test('a page of the Inspector reads its session if `cors` lists its origin', async (t) => {
  const origin = 'http://localhost:6274';
  const { token } = await loggedIn(set, registered(...inspector), inspector[0] ?? '');
  const asks = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,mcp-session-id,mcp-protocol-version',
  };
  const preflight = await fetch(set.url, { method: 'OPTIONS', headers: { origin, ...asks } });
  t.equal(preflight.headers.get('access-control-allow-origin'), origin);
  t.match(preflight.headers.get('access-control-allow-headers')?.toLowerCase(), 'mcp-session-id');
  const own = { ...headers, authorization: `Bearer ${token}` };
  const opened = await fetch(set.url, { method: 'POST', headers: { ...own, origin }, body: initialize });
  t.equal(opened.status, 200);
  t.match(opened.headers.get('access-control-expose-headers')?.toLowerCase(), 'mcp-session-id');
  t.match(await toolsOf(set, token, { origin }), /"name":"echo"/);
  const other = await fetch(set.url, {
    method: 'POST',
    headers: { ...own, origin: 'http://localhost:6275' },
    body: initialize,
  });
  t.equal(other.status, 403, 'any other page');
});

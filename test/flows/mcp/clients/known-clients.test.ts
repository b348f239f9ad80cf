import t from 'tap';
import { documentHost } from '../../../authorization/documents/document-host.ts';
import { textOf } from '../../../docs/cookbook.ts';
import { packagedServer } from '../../../support/mcp/packaged-server.ts';
import { authorizationUrl, discovered, headers, initialize, loggedIn, toolsOf, type Way } from './known-client.ts';
import { fileClient, files, inspector, type KnownClient, knownClients, page } from './known-client-rows.ts';
import { openService } from './open-service.ts';
import { extra, scope, stage } from './stage.ts';

/** Starts a server in a separate process, and logs in 16 times: 30 s on a very busy machine. */
t.setTimeout(120_000);

const cors = files.find(({ title }) => title.startsWith('# gateway.yaml: cors'))?.values.cors;
const named = (name: string) => ({ ...fileClient(name), scope: `${scope} ${extra}` });

const host = await documentHost(t);
const documented = (name: string, redirect_uris: readonly string[]): Way => ({
  by: 'id',
  id: host.publish(`/${encodeURIComponent(name)}`, { redirect_uris }),
});
const registered = (addresses: readonly string[]): Way => ({ by: 'registration', addresses });
const inFile = (name: string): Way => ({ by: 'id', id: named(name).client_id });
const WAYS: Readonly<Record<KnownClient['kind'], (row: KnownClient) => Way>> = {
  document: ({ client, addresses }) => documented(client, addresses),
  registration: ({ addresses }) => registered(addresses),
  file: ({ client, inFile: name = client }) => inFile(name),
};

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

for (const row of knownClients)
  t.test(`${row.client}, known by ${row.kind}, arrives at ${row.sends} and lists the tools`, async (t) => {
    const { sends } = row;
    const { token, arrival } = await loggedIn(set, WAYS[row.kind](row), sends);
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
  const { token } = await loggedIn(set, registered(inspector), inspector[0] ?? '');
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

import t from 'tap';
import { documentHost } from '../../../authorization/documents/document-host.ts';
import { freePort } from '../../../support/free-port.ts';
import { client2, sdk1 } from './javascript.ts';
import { mcpRemote } from './mcp-remote.ts';
import { openService } from './open-service.ts';
import { pythonPlayer } from './python.ts';
import { callbackPath, clientName, type Registration } from './registration.ts';
import { scope } from './stage.ts';
import { type Prepared, type ServerName, tale } from './story.ts';

/** Installs the libraries for Python first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

interface Row {
  readonly name: string;
  readonly server: ServerName;
  readonly prepare: () => Prepared;
}

const rows: readonly Row[] = [
  { name: '@modelcontextprotocol/client', server: own, prepare: () => client2 },
  { name: '@modelcontextprotocol/sdk', server: packaged, prepare: () => sdk1 },
  { name: 'mcp-remote', server: packaged, prepare: () => mcpRemote() },
  { name: 'mcp from PyPI', server: own, prepare: pythonPlayer('mcp_client.py') },
  { name: 'fastmcp', server: own, prepare: pythonPlayer('fastmcp_client.py') },
];

const options = { service: openService(scope) };

for (const { name, server, prepare } of rows)
  tale(t, `${name}, which registers itself,`, { server, prepare, registration: { by: 'client' }, options });

/** The host of the document, which every client of this file names. */
const host = await documentHost(t);
const loopback = (port: number) => `http://127.0.0.1:${port}${callbackPath}`;
const document: Registration = {
  by: 'document',
  url: host.publish('/agent.json', {
    client_name: clientName,
    redirect_uris: [loopback(await freePort())],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }),
};

for (const { name, server, prepare } of rows)
  tale(t, `${name}, which names a document,`, { server, prepare, registration: document, options });

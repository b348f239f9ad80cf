import t from 'tap';
import { documentHost } from '../../../authorization/documents/document-host.ts';
import { freePort } from '../../../support/free-port.ts';
import { packagedServer } from '../../../support/mcp/packaged-server.ts';
import { client2, sdk1 } from './javascript.ts';
import { mcpRemote } from './mcp-remote.ts';
import { openService } from './open-service.ts';
import { pythonPlayer } from './python.ts';
import { callbackPath, clientName, type Registration } from './registration.ts';
import { extra, scope, stage } from './stage.ts';
import { type Prepared, type ServerName, tale } from './story.ts';

/** Installs the libraries for Python first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

interface Row {
  readonly name: string;
  readonly server: ServerName;
  readonly prepare: () => Prepared;
  /** The grants in the document of the client. */
  readonly grants?: readonly string[];
}

const withoutRefresh = ['authorization_code'];
const rows: readonly Row[] = [
  { name: '@modelcontextprotocol/client', server: own, prepare: () => client2 },
  {
    name: '@modelcontextprotocol/sdk',
    server: packaged,
    prepare: () => sdk1(...withoutRefresh),
    grants: withoutRefresh,
  },
  { name: 'mcp-remote', server: packaged, prepare: () => mcpRemote() },
  { name: 'mcp from PyPI', server: own, prepare: pythonPlayer('mcp_client.py') },
  { name: 'fastmcp', server: own, prepare: pythonPlayer('fastmcp_client.py') },
];

const options = { service: openService(`${scope} ${extra}`) };

for (const { name, server, prepare } of rows)
  tale(t, `${name}, which registers itself,`, {
    server,
    prepare,
    registration: { by: 'client' },
    options,
    stepsUp: true,
  });

/** The host of the documents. */
const host = await documentHost(t);
const callback = `http://127.0.0.1:${await freePort()}${callbackPath}`;

const documentOf = ({ name, grants = [...withoutRefresh, 'refresh_token'] }: Row): Registration => ({
  by: 'document',
  url: host.publish(`/${encodeURIComponent(name)}.json`, {
    client_name: clientName,
    redirect_uris: [callback],
    grant_types: grants,
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }),
});

for (const row of rows)
  tale(t, `${row.name}, which names a document,`, {
    server: row.server,
    prepare: row.prepare,
    registration: documentOf(row),
    options,
    stepsUp: true,
  });

t.test(
  '@modelcontextprotocol/sdk with a refresh token renews its token after the 403, and then gives up',
  async (t) => {
    const set = await stage(t, await packagedServer(t), options);
    const play = sdk1(...withoutRefresh, 'refresh_token');
    const call = { name: 'get-sum', arguments: { a: 2, b: 3 } };
    await t.rejects(play(set, { by: 'client' }, [call], t), { code: 403, message: /after trying upscoping/ });
    t.equal(set.visits.length, 1, 'the user is not asked');
  },
);

import t from 'tap';
import { freePort } from '../../../support/free-port.ts';
import { converse } from '../../clients/peer.ts';
import { pythonPeer } from '../../clients/python.ts';
import { callbackPath, clientName, type Registration } from './registration.ts';
import { type Player, type Prepared, type Told, tale } from './story.ts';

/** Installs the libraries first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

/** Both clients share an environment, because FastMCP needs the SDK. */
const prepare = (script: string) => (): Prepared => {
  const peer = pythonPeer({ name: 'mcp', requirements: 'mcp-requirements.txt', script });
  return 'missing' in peer ? peer : plays(peer);
};

const plays =
  (peer: Parameters<typeof converse>[0]): Player =>
  async ({ issuer, url, browse }, registration, call, t) => {
    const variables = {
      MCP_URL: url,
      ISSUER: issuer,
      CLIENT_NAME: clientName,
      REDIRECT_URI: `http://127.0.0.1:${await freePort()}${callbackPath}`,
      TOOL: call.name,
      ARGUMENTS: JSON.stringify(call.arguments),
      ...identity(registration),
    };
    return (await converse(peer, { t, variables, browse: ({ visit }) => browse(visit) })) as unknown as Told;
  };

function identity(registration: Registration): Record<string, string> {
  if (registration.by === 'operator') return { CLIENT_ID: registration.id };
  return registration.by === 'document' ? { CLIENT_METADATA_URL: registration.url } : {};
}

const packaged = '@modelcontextprotocol/server-everything';
const own = 'a server with all revisions';

for (const [name, script] of [
  ['mcp from PyPI', 'mcp_client.py'],
  ['fastmcp', 'fastmcp_client.py'],
] as const) {
  tale(t, name, { server: packaged, revision: '2025-11-25', prepare: prepare(script) });
  tale(t, name, { server: own, revision: '2026-07-28', prepare: prepare(script) });
}

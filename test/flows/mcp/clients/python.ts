import { freePort } from '../../../support/free-port.ts';
import { converse } from '../../clients/peer.ts';
import { pythonPeer } from '../../clients/python.ts';
import { callbackPath, clientName, type Registration } from './registration.ts';
import type { Player, Prepared, Told } from './story.ts';

/** Both clients share an environment, because FastMCP needs the SDK. */
export const pythonPlayer = (script: string) => (): Prepared => {
  const peer = pythonPeer({ name: 'mcp', requirements: 'mcp-requirements.txt', script });
  return 'missing' in peer ? peer : plays(peer);
};

const plays =
  (peer: Parameters<typeof converse>[0]): Player =>
  async ({ issuer, url, browse }, registration, calls, t) => {
    const variables = {
      MCP_URL: url,
      ISSUER: issuer,
      CLIENT_NAME: clientName,
      REDIRECT_URI: `http://127.0.0.1:${await freePort()}${callbackPath}`,
      CALLS: JSON.stringify(calls),
      ...identity(registration),
    };
    return (await converse(peer, { t, variables, browse: ({ visit }) => browse(visit) })) as unknown as Told;
  };

function identity(registration: Registration): Record<string, string> {
  if (registration.by === 'operator') return { CLIENT_ID: registration.id };
  return registration.by === 'document' ? { CLIENT_METADATA_URL: registration.url } : {};
}

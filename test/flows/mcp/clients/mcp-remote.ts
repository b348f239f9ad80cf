import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { foundIn } from '../../../support/found-in.ts';
import { freePort } from '../../../support/free-port.ts';
import { folder } from '../../../support/front-proxy.ts';
import { callbackPath, type Registration } from './registration.ts';
import type { Stage } from './stage.ts';
import type { Player } from './story.ts';

const program = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));

/** A desktop application that speaks over standard input and output. mcp-remote logs in for this application. */
export const mcpRemote =
  (...options: readonly string[]): Player =>
  async (stage, registration, call, t) => {
    const port = String(await freePort());
    const callback = ['--host', '127.0.0.1', '--callback-path', callbackPath];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, stage.url, port, ...callback, ...identity(registration), ...options],
      // Nothing opens a browser: the test reads the address.
      env: { BROWSER: '/bin/true', MCP_REMOTE_CONFIG_DIR: folder(t), HOME: folder(t), PATH: process.env.PATH ?? '' },
      stderr: 'pipe',
    });
    const visited = visits(transport, stage);
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    await Promise.all([client.connect(transport), visited]);
    const { tools } = await client.listTools();
    const { content } = await client.callTool(call);
    await client.close();
    return { tools: tools.map(({ name }) => name), content };
  };

function identity(registration: Registration): readonly string[] {
  if (registration.by === 'client') return [];
  if (registration.by === 'document') return ['--client-metadata-url', registration.url];
  return ['--static-oauth-client-info', JSON.stringify({ client_id: registration.id })];
}

const asked = (printed: string) => /visiting:\s+(http\S+)\s/.exec(printed)?.[1];

/** Plays the browser, from the address that the program prints to the page of the program at the end. */
async function visits({ stderr }: StdioClientTransport, { browse }: Stage): Promise<void> {
  const page = await fetch(await browse(await foundIn(stderr as Readable, asked)));
  if (!page.ok) throw new Error(`mcp-remote refuses the answer: ${await page.text()}`);
}

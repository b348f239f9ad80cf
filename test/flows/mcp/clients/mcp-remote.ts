import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { freePort } from '../../../support/free-port.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';
import { callbackPath, type Registration } from './registration.ts';
import type { Stage } from './stage.ts';
import type { Player } from './story.ts';

const program = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));

/** A desktop application that speaks over standard input and output. mcp-remote logs in for this application. */
export const mcpRemote =
  (...options: readonly string[]): Player =>
  async (stage, registration, calls, t) => {
    const port = String(await freePort());
    const callback = ['--host', '127.0.0.1', '--callback-path', callbackPath];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, stage.url, port, ...callback, ...identity(registration), ...options],
      // Nothing opens a browser: the test reads the address.
      env: {
        BROWSER: '/bin/true',
        MCP_REMOTE_CONFIG_DIR: temporaryFolder(t),
        HOME: temporaryFolder(t),
        PATH: process.env.PATH ?? '',
      },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    t.teardown(() => client.close());
    const fault = visits(transport.stderr as Readable, stage);
    const told = async () => {
      await client.connect(transport);
      const { tools } = await client.listTools();
      const contents = [];
      for (const call of calls) contents.push((await client.callTool(call)).content);
      return { tools: tools.map(({ name }) => name), contents };
    };
    return Promise.race([told(), fault]);
  };

function identity(registration: Registration): readonly string[] {
  if (registration.by === 'client') return [];
  if (registration.by === 'document') return ['--client-metadata-url', registration.url];
  return ['--static-oauth-client-info', JSON.stringify({ client_id: registration.id })];
}

/** Plays the browser, from each address that the program prints to the page of the program. Never resolves. */
function visits(output: Readable, { browse }: Stage): Promise<never> {
  let [printed, visited] = ['', 0];
  return new Promise((_resolve, reject) => {
    output.on('data', (chunk) => {
      printed += String(chunk);
      const found = [...printed.matchAll(/visiting:\s+(http\S+)\s/g)];
      for (const [, address = ''] of found.slice(visited)) void visit(address, browse).catch(reject);
      visited = found.length;
    });
  });
}

async function visit(address: string, browse: Stage['browse']): Promise<void> {
  const page = await open(await browse(address));
  if (!page.ok) throw new Error(`mcp-remote refuses the answer: ${await page.text()}`);
}

/** At a second login, the program sends the user away before it listens. A person takes longer than that. */
async function open(arrival: URL): Promise<Response> {
  const pages: Response[] = [];
  const tries = async () => pages.push(...(await fetch(arrival).then((page) => [page], noneIfRefused))) > 0;
  await until(tries);
  const [page] = pages;
  if (page === undefined) throw new Error(`nothing listens at ${arrival.origin}`);
  return page;
}

function noneIfRefused(error: Error & { readonly cause?: { readonly code?: string } }): [] {
  if (error.cause?.code === 'ECONNREFUSED') return [];
  throw error;
}

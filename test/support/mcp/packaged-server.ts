import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { freePort } from '../free-port.ts';
import { started } from '../front-proxy.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** The MCP server that others use as an example, in a separate process. It has revisions with sessions only. */
export async function packagedServer(t: Test): Promise<string> {
  const port = await freePort();
  const env = { ...process.env, NODE_OPTIONS: '', PORT: String(port) };
  await started(t, port, spawn(process.execPath, [program, 'streamableHttp'], { stdio: 'pipe', env }));
  return `http://127.0.0.1:${port}/mcp`;
}

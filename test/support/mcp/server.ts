import { createServer } from 'node:http';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  type McpServer,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import type { Test } from 'tap';
import { serving } from '../serving.ts';
import { everything } from './everything/server.ts';
import type { Tasks } from './everything/tasks.ts';
import { withHeadersOfBody } from './lenient.ts';
import { nodeHandler } from './node-handler.ts';
import { sessionHandler } from './sessions.ts';

type Prepare = (request: Request) => Request | Promise<Request>;

/** An MCP server by the official SDK. One URL has all revisions: those with sessions, and 2026-07-28 without. */
export function mcpServer(t: Test): Promise<string> {
  return listening(t, everythingServer());
}

/** The same server, but the headers that repeat the body decide nothing. */
export function lenientMcpServer(t: Test): Promise<string> {
  return listening(t, { ...everythingServer(), prepare: withHeadersOfBody });
}

interface Served {
  /** A server for one request, or for one session. */
  readonly create: (notify: () => ServerNotifier) => McpServer | Server;
  readonly prepare?: Prepare;
}

function everythingServer(): Served {
  const tasks: Tasks = new Map();
  return { create: (notify) => everything(notify, tasks) };
}

/** Serves all revisions at one URL. */
export async function listening(t: Test, { create, prepare = (request) => request }: Served): Promise<string> {
  const one = () => create(() => modern.notify);
  const modern = createMcpHandler(one, { legacy: 'reject' });
  const sessions = sessionHandler(one);
  const handle = async (given: Request) => {
    const request = await prepare(given);
    return rebound(request) ?? ((await isLegacyRequest(request)) ? sessions(request) : modern.fetch(request));
  };
  t.teardown(() => modern.close());
  return `${await serving(t, createServer(nodeHandler(handle)))}/mcp`;
}

/** The refusal of a request whose `Host` is not this machine. The server does not read `Origin`, as many do not. */
function rebound(request: Request): Response | undefined {
  return hostHeaderValidationResponse(request, localhostAllowedHostnames());
}

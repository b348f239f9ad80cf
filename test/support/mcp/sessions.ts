import { randomUUID } from 'node:crypto';
import { type McpServer, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { eventStore } from './event-store.ts';

type Transport = WebStandardStreamableHTTPServerTransport;
type Handler = (request: Request) => Promise<Response>;

/** Milliseconds that the server tells clients to wait before they come back. */
const RETRY = 50;

/** Serves the revisions before 2026-07-28: sessions, the stream of GET, DELETE. */
export function sessionHandler(create: () => McpServer | Server): Handler {
  const sessions = new Map<string, Transport>();
  return async (request) => {
    const id = request.headers.get('mcp-session-id');
    const transport = id === null ? await connected(create(), sessions) : sessions.get(id);
    if (transport === undefined) return unknownSession();
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await transport.close();
    return response;
  };
}

async function connected(server: McpServer | Server, sessions: Map<string, Transport>): Promise<Transport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: eventStore(),
    retryInterval: RETRY,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await server.connect(transport);
  return transport;
}

function unknownSession(): Response {
  const error = { code: -32001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}

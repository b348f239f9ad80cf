import type { Test } from 'tap';
import { endpoint, json } from '../endpoint.ts';

/** A request that reached the upstream. */
export interface Reached {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ToolsUpstream {
  readonly url: string;
  readonly reached: Reached[];
  /** Changes the description of a tool. */
  describe(name: string, description: string): void;
}

const tool = (name: string) => ({
  name,
  description: `does ${name}`,
  inputSchema: {
    type: 'object',
    properties: {
      tenant: { type: 'string', 'x-mcp-header': 'Tenant' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
    },
  },
});

/** Answers by method. The numbers are larger than a number of JavaScript can be. */
const results: Readonly<Record<string, object>> = {
  'tools/list': {
    nextCursor: 'c2',
    ttlMs: 1000,
    cacheScope: 'public',
  },
  'prompts/list': { prompts: [{ name: 'plain' }, { name: 'secret' }] },
  'resources/list': { resources: [{ uri: 'file:///srv/a' }, { uri: 'file:///etc/passwd' }] },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'file:///srv/{x}' }, { uriTemplate: 'file:///etc/{x}' }],
  },
};

/** An upstream that speaks as much of the protocol as a test of the gateway needs. `stream`: it answers with events. */
export async function toolsUpstream(t: Test, { stream = false } = {}): Promise<ToolsUpstream> {
  const reached: Reached[] = [];
  const described = new Map<string, string>();
  const resultOf = (method: string): object => {
    if (method !== 'tools/list') return results[method] ?? { ok: true };
    const list = ['echo', 'delete_user', 'drop_table'].map((name) => ({
      ...tool(name),
      ...(described.has(name) && { description: described.get(name) }),
    }));
    return { ...results[method], tools: list };
  };
  const { url } = await endpoint(t, (request, response, body) => {
    reached.push({ method: request.method ?? '', headers: request.headers, body });
    const message = body === '' ? {} : JSON.parse(body);
    const answer = { jsonrpc: '2.0', id: message.id, result: resultOf(message.method) };
    if (message.method === 'initialize' || request.headers['mcp-session-id'] !== undefined)
      response.setHeader('mcp-session-id', 'session-1');
    if (request.method === 'GET' || stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const lists = request.method === 'GET' ? { ...answer, result: resultOf('tools/list') } : answer;
      response.end(`id: event-1\nevent: message\ndata: ${JSON.stringify(lists)}\n\n`);
    } else json(response, answer);
  });
  return { url: new URL(url).origin, reached, describe: (name, text) => void described.set(name, text) };
}

import { Server } from '@modelcontextprotocol/server';
import type { Test } from 'tap';
import { listening } from './server.ts';

/** On each page, names that begin with `read`, `admin` or `drop`. The second page has no `read`. */
export const pages: readonly (readonly string[])[] = [
  ['read-1', 'admin-1', 'read-2'],
  ['admin-2', 'drop-1'],
  ['drop-2', 'read-3'],
];

const inputSchema = { type: 'object' };

/** The lists of a server: the member of the result, and an item. */
const lists: Readonly<Record<string, { readonly member: string; readonly item: (name: string) => object }>> = {
  'tools/list': { member: 'tools', item: (name) => ({ name, inputSchema }) },
  'prompts/list': { member: 'prompts', item: (name) => ({ name }) },
  'resources/list': { member: 'resources', item: (name) => ({ name, uri: `demo://${name}` }) },
  'resources/templates/list': {
    member: 'resourceTemplates',
    item: (name) => ({ name, uriTemplate: `demo://${name}/{id}` }),
  },
};

/** An MCP server by the official SDK, which has all its lists on three pages. One URL has all revisions. */
export function pagedServer(t: Test): Promise<string> {
  return listening(t, { create: paged });
}

function paged(): Server {
  const server = new Server(
    { name: 'paged', version: '1' },
    { capabilities: { tools: {}, prompts: {}, resources: {} } },
  );
  server.fallbackRequestHandler = async ({ method, params }) => pageOf(method, Number(params?.cursor ?? 0));
  return server;
}

function pageOf(method: string, at: number): Record<string, unknown> {
  const list = lists[method];
  if (list === undefined) throw new Error(`no such method: ${method}`);
  const next = at + 1 < pages.length ? { nextCursor: String(at + 1) } : {};
  return { [list.member]: (pages[at] ?? []).map(list.item), ...next };
}

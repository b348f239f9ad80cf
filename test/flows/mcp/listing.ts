import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Test } from 'tap';
import { jwt } from '../../support/tokens.ts';

/** A list, page by page. Each item is its name or URI. */
type Pages = readonly (readonly string[])[];
export type Lists = Readonly<Record<'tools' | 'prompts' | 'resources' | 'templates', Pages>>;

/** The headers of a caller. Without a scope, the caller has no token. */
export async function caller(scope?: string): Promise<RequestInit> {
  if (scope === undefined) return {};
  return { headers: { authorization: `Bearer ${await jwt({ scope }, { alg: 'HS256' })}` } };
}

/** A connected client of @modelcontextprotocol/sdk, which gives each page as it arrived. */
export async function agent(t: Test, url: string, scope?: string): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: await caller(scope) }));
  t.teardown(() => client.close());
  return client;
}

/** Follows every list of the server to its end. */
export async function listsOf(client: Client): Promise<Lists> {
  return {
    tools: await follow(async (at) => {
      const { tools, nextCursor } = await client.listTools(at);
      return { items: tools.map(({ name }) => name), nextCursor };
    }),
    prompts: await follow(async (at) => {
      const { prompts, nextCursor } = await client.listPrompts(at);
      return { items: prompts.map(({ name }) => name), nextCursor };
    }),
    resources: await follow(async (at) => {
      const { resources, nextCursor } = await client.listResources(at);
      return { items: resources.map(({ uri }) => uri), nextCursor };
    }),
    templates: await follow(async (at) => {
      const { resourceTemplates, nextCursor } = await client.listResourceTemplates(at);
      return { items: resourceTemplates.map(({ uriTemplate }) => uriTemplate), nextCursor };
    }),
  };
}

/** The same pages, with the items that the test keeps. */
export function only(lists: Lists, keeps: (item: string) => boolean): Lists {
  const kept = Object.entries(lists).map(([name, list]) => [name, list.map((page) => page.filter(keeps))]);
  return Object.fromEntries(kept);
}

interface Page {
  readonly items: readonly string[];
  readonly nextCursor: string | undefined;
}

/** No server of the tests has more pages. */
const MOST = 9;

async function follow(read: (at: { cursor?: string }) => Promise<Page>): Promise<Pages> {
  const pages: (readonly string[])[] = [];
  let at: { cursor?: string } | undefined = {};
  while (at !== undefined && pages.length < MOST) {
    const { items, nextCursor }: Page = await read(at);
    pages.push(items);
    at = nextCursor === undefined ? undefined : { cursor: nextCursor };
  }
  return pages;
}

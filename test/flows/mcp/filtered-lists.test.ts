import * as next from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { packagedServer } from '../../support/mcp/packaged-server.ts';
import { pagedServer, pages } from '../../support/mcp/paged-server.ts';
import { agent, caller, listsOf, only } from './listing.ts';

/** Starts a server in a separate process, and follows 24 lists: 30 s on a very busy machine. */
t.setTimeout(120_000);

const few = 'mcp.use';
const more = 'mcp.use tools.admin';

/** The address of an MCP server behind a gateway with these rules. */
async function guarded(t: Test, upstream: string, rules: object): Promise<string> {
  const routes = [{ id: 'tools', match: { path: '/mcp' }, scope: few, mcp: { sessions: true, ...rules } }];
  const { url } = await gateway(t, behind(new URL(upstream).origin, { routes }));
  return `${url}/mcp`;
}

const document = (name: string) => `demo://resource/static/document/${name}.md`;
const blobs = 'demo://resource/dynamic/blob/';

/** Rules for @modelcontextprotocol/server-everything, and what they need `tools.admin` for. */
const rules = {
  scope: {
    'tools/call get-sum': 'tools.admin',
    'tools/call toggle-*': 'tools.admin',
    'prompts/get args-prompt': 'tools.admin',
    [`resources/read ${document('architecture')}`]: 'tools.admin',
    [`resources/read ${blobs}*`]: 'tools.admin',
  },
  deny: ['tools/call get-env'],
};
const dangerous = {
  tools: ['get-sum', 'toggle-simulated-logging', 'toggle-subscriber-updates'],
  prompts: ['args-prompt'],
  resources: [document('architecture')],
  templates: [`${blobs}{resourceId}`],
};
const isDangerous = (item: string) => Object.values(dangerous).flat().includes(item);

const everything = await packagedServer(t);

t.test('each list of @modelcontextprotocol/server-everything has what the token may use', async (t) => {
  const url = await guarded(t, everything, rules);
  const direct = await listsOf(await agent(t, everything));
  const without = only(direct, (item) => item !== 'get-env');
  for (const [name, items] of Object.entries({ ...dangerous, tools: [...dangerous.tools, 'get-env'] }))
    for (const item of items) t.ok(direct[name as keyof typeof direct].flat().includes(item), item);
  t.strictSame(await listsOf(await agent(t, url, more)), without);
  const limited = await listsOf(await agent(t, url, few));
  t.strictSame(
    limited,
    only(without, (item) => !isDangerous(item)),
  );
});

const isForbidden = { code: 403 };

t.test('what a list of @modelcontextprotocol/server-everything hides cannot be used, and the rest can', async (t) => {
  const url = await guarded(t, everything, rules);
  const sum = { name: 'get-sum', arguments: { a: 2, b: 3 } };
  const prompt = { name: 'args-prompt', arguments: { city: 'Paris' } };
  const [limited, full] = [await agent(t, url, few), await agent(t, url, more)];
  t.match(await limited.callTool({ name: 'echo', arguments: { message: 'hello' } }), {
    content: [{ text: 'Echo: hello' }],
  });
  t.match(await limited.readResource({ uri: document('features') }), { contents: [{ uri: document('features') }] });
  const uses: readonly ((client: Client) => Promise<unknown>)[] = [
    (client) => client.callTool(sum),
    (client) => client.getPrompt(prompt),
    (client) => client.readResource({ uri: document('architecture') }),
    (client) => client.readResource({ uri: `${blobs}1` }),
  ];
  for (const use of uses) {
    await t.rejects(use(limited), isForbidden);
    await t.resolves(use(full));
  }
  await t.rejects(full.callTool({ name: 'get-env' }), isForbidden);
});

/** The rules for the server with pages. */
const paged = {
  scope: {
    'tools/call admin-*': 'tools.admin',
    'prompts/get admin-*': 'tools.admin',
    'resources/read demo://admin-*': 'tools.admin',
  },
  deny: ['tools/call drop-*', 'prompts/get drop-*', 'resources/read demo://drop-*'],
};

for (const { scope, sees } of [
  { scope: few, sees: /read-/ },
  { scope: more, sees: /(read|admin)-/ },
])
  t.test(
    `a token with ${scope} sees its items on every page, and a page without items leads to the next`,
    async (t) => {
      const upstream = await pagedServer(t);
      const url = await guarded(t, upstream, paged);
      const direct = await listsOf(await agent(t, upstream));
      for (const list of Object.values(direct)) t.equal(list.length, pages.length, 'the server has several pages');
      const seen = await listsOf(await agent(t, url, scope));
      t.strictSame(
        seen,
        only(direct, (item) => sees.test(item)),
      );
      t.strictSame(
        seen.tools.map(({ length }) => length),
        scope === few ? [2, 0, 1] : [3, 1, 1],
      );
      const client = new next.Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new next.StreamableHTTPClientTransport(new URL(url), { requestInit: await caller(scope) }));
      const { tools } = await client.listTools();
      t.strictSame(
        tools.map(({ name }) => name),
        seen.tools.flat(),
        'a client that follows the pages by itself finds all',
      );
      t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
      await client.close();
    },
  );

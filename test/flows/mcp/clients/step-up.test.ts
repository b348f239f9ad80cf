import * as next from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t, { type Test } from 'tap';
import { configuration } from '../../../authorization/running-service.ts';
import { mcpServer } from '../../../support/mcp/server.ts';
import { openService } from './open-service.ts';
import { application } from './provider.ts';
import { type Stage, scope, stage } from './stage.ts';

const extra = 'tools.extra';
const call = { name: 'test_simple_text', arguments: {} };
const text = 'This is a simple text response for testing.';
const rules = { '*': scope, [`tools/call ${call.name}`]: `${scope} ${extra}` };

function scene(t: Test, upstream: string): Promise<Stage> {
  const scopes = { ...configuration().scopes, [scope]: 'Use the tools', [extra]: 'Use the dangerous tool' };
  const service = { ...openService(`${scope} ${extra}`), scopes };
  return stage(t, upstream, { service, route: { scope: undefined, mcp: { sessions: true, scope: rules } } });
}

const isUnauthorized = { message: 'Unauthorized' };

/** The scopes that the client asked for, login by login. */
const asked = ({ visits }: Stage) => visits.map(({ request }) => request.scope);

t.test('@modelcontextprotocol/client asks for the missing scope by itself, and then calls the tool', async (t) => {
  const set = await scene(t, await mcpServer(t));
  const authProvider = application(set, { by: 'client' });
  const transport = () => new next.StreamableHTTPClientTransport(new URL(set.url), { authProvider });
  const client = new next.Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const login = async (at: next.StreamableHTTPClientTransport) =>
    at.finishAuth((await set.browse(authProvider.visited())).searchParams);
  const first = transport();
  await t.rejects(client.connect(first), next.UnauthorizedError);
  await login(first);
  const second = transport();
  await client.connect(second);
  const { tools } = await client.listTools();
  t.notOk(
    tools.some(({ name }) => name === call.name),
    'the list has only what the token may call',
  );
  await t.rejects(client.callTool(call), next.UnauthorizedError);
  await login(second);
  t.match(await client.callTool(call), { content: [{ type: 'text', text }] });
  t.strictSame(asked(set), [scope, `${scope} ${extra}`]);
  await client.close();
});

t.test('@modelcontextprotocol/sdk asks for the missing scope by itself, and then calls the tool', async (t) => {
  const set = await scene(t, await mcpServer(t));
  const provider = application(set, { by: 'client' });
  // With a refresh token, this version renews its token in place of a login, and then gives up.
  const authProvider = {
    ...provider,
    clientMetadata: { ...provider.clientMetadata, grant_types: ['authorization_code'] },
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(set.url), { authProvider });
  const login = async (at: StreamableHTTPClientTransport) =>
    at.finishAuth((await set.browse(authProvider.visited())).searchParams.get('code') ?? '');
  const first = transport();
  await t.rejects(new Client({ name: 'agent', version: '1' }).connect(first), isUnauthorized);
  await login(first);
  const [second, client] = [transport(), new Client({ name: 'agent', version: '1' })];
  await client.connect(second);
  await t.rejects(client.callTool(call), isUnauthorized);
  await login(second);
  t.match(await client.callTool(call), { content: [{ type: 'text', text }] });
  t.strictSame(asked(set), [scope, `${scope} ${extra}`]);
  await client.close();
});

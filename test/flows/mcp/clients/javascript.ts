import * as next from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { application } from './provider.ts';
import type { Call, Player } from './story.ts';

const about = { name: 'agent', version: '1.0.0' };

/** @modelcontextprotocol/client 2, which asks for 2026-07-28 first. */
export const client2: Player = async (stage, registration, calls, t) => {
  const authProvider = application(stage, registration);
  const transport = () => new next.StreamableHTTPClientTransport(new URL(stage.url), { authProvider });
  const login = async (at: next.StreamableHTTPClientTransport) =>
    at.finishAuth((await stage.browse(authProvider.visited())).searchParams);
  const [first, second] = [transport(), transport()];
  const client = new next.Client(about, { versionNegotiation: { mode: 'auto' } });
  t.teardown(() => client.close());
  if (await isSentAway(client.connect(first))) await login(first);
  await client.connect(second);
  const { tools } = await client.listTools();
  const contents = await contentsOf(
    calls,
    (call) => client.callTool(call),
    () => login(second),
  );
  return { revision: client.getNegotiatedProtocolVersion(), tools: tools.map(({ name }) => name), contents };
};

/** @modelcontextprotocol/sdk 1, which does not compare `iss`, as an application with these grants. */
export const sdk1 =
  (...grants: string[]): Player =>
  async (stage, registration, calls, t) => {
    const authProvider = application(stage, registration, grants);
    const transport = () => new StreamableHTTPClientTransport(new URL(stage.url), { authProvider });
    const login = async (at: StreamableHTTPClientTransport) =>
      at.finishAuth((await stage.browse(authProvider.visited())).searchParams.get('code') ?? '');
    const [first, second, client] = [transport(), transport(), new Client(about)];
    t.teardown(() => client.close());
    if (await isSentAway(new Client(about).connect(first))) await login(first);
    await client.connect(second);
    const { tools } = await client.listTools();
    const contents = await contentsOf(
      calls,
      (call) => client.callTool(call),
      () => login(second),
    );
    await second.terminateSession();
    return { revision: second.protocolVersion, tools: tools.map(({ name }) => name), contents };
  };

type CallTool = (call: Call) => Promise<{ readonly [member: string]: unknown }>;

/** If a call sends the browser to the service, the application logs in, and calls again. */
async function contentsOf(calls: readonly Call[], callTool: CallTool, login: () => Promise<void>) {
  const contents: unknown[] = [];
  for (const call of calls) {
    const called = callTool(call);
    if (await isSentAway(called)) await login();
    const { content } = await called.catch(() => callTool(call));
    contents.push(content);
  }
  return contents;
}

/** Whether the SDK has sent the browser to the service. Any other error is thrown. */
async function isSentAway(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt;
    return false;
  } catch (error) {
    if (error instanceof next.UnauthorizedError || error instanceof UnauthorizedError) return true;
    throw error;
  }
}

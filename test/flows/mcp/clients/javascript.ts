import * as next from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { application } from './provider.ts';
import type { Registration } from './registration.ts';
import type { Stage } from './stage.ts';
import type { Call, Told } from './story.ts';

const about = { name: 'agent', version: '1.0.0' };

/** @modelcontextprotocol/client 2, which asks for 2026-07-28 first. */
export async function client2(stage: Stage, registration: Registration, call: Call): Promise<Told> {
  const { url, browse } = stage;
  const authProvider = application(stage, registration);
  const transport = () => new next.StreamableHTTPClientTransport(new URL(url), { authProvider });
  const [first, client] = [transport(), new next.Client(about, { versionNegotiation: { mode: 'auto' } })];
  const refused = await client.connect(first).catch((error: unknown) => error);
  if (!(refused instanceof next.UnauthorizedError)) throw refused;
  await first.finishAuth((await browse(authProvider.visited())).searchParams);
  await client.connect(transport());
  const { tools } = await client.listTools();
  const { content } = await client.callTool(call);
  const revision = client.getNegotiatedProtocolVersion();
  await client.close();
  return { revision, tools: tools.map(({ name }) => name), content };
}

/** @modelcontextprotocol/sdk 1, which does not compare `iss`. */
export async function sdk1(stage: Stage, registration: Registration, call: Call): Promise<Told> {
  const { url, browse } = stage;
  const authProvider = application(stage, registration);
  const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
  const [first, second] = [transport(), transport()];
  const refused = await new Client(about).connect(first).catch((error: unknown) => error);
  if (!(refused instanceof UnauthorizedError)) throw refused;
  await first.finishAuth((await browse(authProvider.visited())).searchParams.get('code') ?? '');
  const client = new Client(about);
  await client.connect(second);
  const { tools } = await client.listTools();
  const { content } = await client.callTool(call);
  await second.terminateSession();
  await client.close();
  return { revision: second.protocolVersion, tools: tools.map(({ name }) => name), content };
}

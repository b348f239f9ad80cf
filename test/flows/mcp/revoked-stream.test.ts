import * as next from '@modelcontextprotocol/client';
import t from 'tap';
import { inTime, lateness } from '../../support/lateness.ts';
import { packagedServer } from '../../support/mcp/packaged-server.ts';
import { openService } from './clients/open-service.ts';
import { application } from './clients/provider.ts';
import { scope, stage } from './clients/stage.ts';

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
};

t.test('an open stream of a tools server ends within a second after its token is revoked', async (t) => {
  const late = await lateness(t);
  const set = await stage(t, await packagedServer(t), { service: openService(scope) });
  const authProvider = application(set, { by: 'client' });
  const transport = new next.StreamableHTTPClientTransport(new URL(set.url), { authProvider });
  await new next.Client({ name: 'agent', version: '1' }).connect(transport).catch(() => {});
  await transport.finishAuth((await set.browse(authProvider.visited())).searchParams);
  const token = (await authProvider.tokens())?.access_token ?? '';
  const authorization = `Bearer ${token}`;
  const opened = await fetch(set.url, {
    method: 'POST',
    headers: { ...headers, authorization },
    body: JSON.stringify(initialize),
  });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  const stream = await fetch(set.url, { headers: { ...headers, ...session, authorization } });
  t.equal(stream.status, 200);
  t.match(stream.headers.get('content-type'), 'text/event-stream');
  const ended = stream.text().catch(() => {});
  const client_id = (await authProvider.clientInformation())?.client_id ?? '';
  const revoke = () =>
    fetch(`${set.issuer}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id }) });
  const figures = await late.measure(async () => {
    t.equal((await revoke()).status, 200);
    await ended;
  });
  inTime(t, 'within a second', 1000, figures);
  const refused = await fetch(set.url, { headers: { ...headers, ...session, authorization } });
  t.equal(refused.status, 401);
});

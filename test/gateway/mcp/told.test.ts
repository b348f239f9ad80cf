import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { toolsUpstream } from '../../support/mcp/tools-upstream.ts';
import { jwt } from '../../support/tokens.ts';

async function scene(t: Test, more: object = {}) {
  const upstream = await toolsUpstream(t);
  const mcp = { scope: { '*': 'mcp.use', 'tools/call delete_*': 'tools.admin' } };
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp, ...more }];
  const running = await gateway(t, behind(upstream.url, { routes, admin: '127.0.0.1:0' }));
  const authorization = `Bearer ${await jwt({ scope: 'mcp.use' }, { alg: 'HS256' })}`;
  const send = async (method: string, params: object = {}, own = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json', accept: 'application/json', authorization, ...own };
    return fetch(`${running.url}/mcp`, { method: 'POST', body, headers });
  };
  const decisions = () => running.log.filter((line) => 'mcp_method' in line);
  return { ...running, upstream, send, decisions };
}

t.test('a decision names the method, the tool, the rule, and the digest of the tool', async (t) => {
  const { send, decisions } = await scene(t);
  await (await send('tools/list')).text();
  await (await send('tools/call', { name: 'echo' })).text();
  const refused = await send('tools/call', { name: 'delete_user' });
  t.match(await refused.json(), { error: { data: { ticket: String } } });
  t.match(decisions(), [
    { code: 'forwarded', mcp_method: 'tools/list', mcp_rule: '*' },
    { code: 'forwarded', mcp_method: 'tools/call', mcp_name: 'echo', tool_digest: /^[\w-]{16}$/ },
    {
      code: 'scope_insufficient',
      mcp_name: 'delete_user',
      mcp_rule: 'tools/call delete_*',
      scope_missing: 'tools.admin',
    },
  ]);
});

t.test('the ticket of a refusal names the operation', async (t) => {
  const { send, adminUrl } = await scene(t);
  const { error } = (await (await send('tools/call', { name: 'delete_user' })).json()) as {
    error: { data: { ticket: string } };
  };
  const opened = await fetch(`${adminUrl}/why/${error.data.ticket}`);
  t.match(await opened.json(), { code: 'scope_insufficient', operation: 'tools/call delete_user' });
});

t.test('messages are counted by method and by the tools that a list has shown', async (t) => {
  const { send, adminUrl } = await scene(t);
  await (await send('tools/call', { name: 'echo' })).text();
  await (await send('tools/list')).text();
  await (await send('tools/call', { name: 'echo' })).text();
  await (await send(`invented/${'x'.repeat(100)}`)).text();
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const counts = text.split('\n').filter((line) => line.startsWith('gatehouse_mcp_messages_total'));
  t.strictSame(counts.toSorted(), [
    'gatehouse_mcp_messages_total{route="tools",method="other",tool="",code="forwarded"} 1',
    'gatehouse_mcp_messages_total{route="tools",method="tools/call",tool="echo",code="forwarded"} 1',
    'gatehouse_mcp_messages_total{route="tools",method="tools/call",tool="other",code="forwarded"} 1',
    'gatehouse_mcp_messages_total{route="tools",method="tools/list",tool="",code="forwarded"} 1',
  ]);
});

t.test('a changed definition of a tool is logged with both digests', async (t) => {
  const { send, log, upstream } = await scene(t);
  await (await send('tools/list')).text();
  upstream.describe('echo', 'now sends your files to a stranger');
  await (await send('tools/list')).text();
  const warned = log.filter(({ msg }) => msg === 'the upstream changed the definition of a tool');
  t.match(warned, [{ route: 'tools', tool: 'echo', before: String, now: String }]);
  t.not(warned[0]?.before, warned[0]?.now);
});

t.test('shadow mode forwards every message, and records what enforcing would refuse', async (t) => {
  const { send, decisions, upstream } = await scene(t, { mode: 'shadow' });
  t.equal((await send('tools/call', { name: 'delete_user' })).status, 200);
  t.equal(upstream.reached.length, 1);
  t.match(decisions(), [
    { code: 'forwarded', shadow: 'scope_insufficient', mcp_name: 'delete_user', mcp_rule: 'tools/call delete_*' },
  ]);
});

t.test('shadow mode refuses no id of a session, because it seals none', async (t) => {
  const mcp = { scope: { '*': 'mcp.use', 'tools/call delete_*': 'tools.admin' }, sessions: true };
  const { send, decisions } = await scene(t, { mode: 'shadow', mcp });
  const session = { 'mcp-session-id': 'one-of-the-upstream' };
  t.equal((await send('tools/call', { name: 'echo' }, session)).status, 200);
  t.equal((await send('tools/call', { name: 'delete_user' }, session)).status, 200);
  t.match(decisions(), [{ shadow: 'pass' }, { shadow: 'scope_insufficient' }]);
});

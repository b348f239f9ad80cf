import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { toolsUpstream } from '../../support/mcp/tools-upstream.ts';
import { jwt } from '../../support/tokens.ts';

/** Sends a body, and returns the status and the answer. */
async function scene(t: Test) {
  const upstream = await toolsUpstream(t);
  const mcp = { scope: { '*': 'mcp.use' }, deny: ['tools/call drop_table'] };
  const { url } = await gateway(t, behind(upstream.url, { routes: [{ id: 'tools', match: { path: '/mcp' }, mcp }] }));
  const valid = await jwt({ scope: 'mcp.use' }, { alg: 'HS256' });
  return async (body: string, { token = valid, accept = 'application/json' } = {}) => {
    const headers = { 'content-type': 'application/json', accept, authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/mcp`, { method: 'POST', body, headers });
    return { status: answer.status, said: (await answer.json()) as Record<string, unknown> };
  };
}

const faults: Readonly<Record<string, readonly [string, number, number | null]>> = {
  'no JSON': ['{', -32700, null],
  'no body': ['', -32700, null],
  'a batch': ['[]', -32600, null],
  'an id that no one can repeat': ['{"jsonrpc":"1.0","id":9007199254740993,"method":"ping"}', -32600, null],
  'no method': ['{"jsonrpc":"2.0","id":3}', -32600, 3],
  'a tool without a name': ['{"jsonrpc":"2.0","id":3,"method":"tools/call"}', -32602, 3],
};

t.test('a client that sends no message learns the error of JSON-RPC, with its id or with null', async (t) => {
  const send = await scene(t);
  for (const [what, [body, code, id]] of Object.entries(faults)) {
    const { status, said } = await send(body);
    t.equal(status, 400, what);
    t.match(said, { jsonrpc: '2.0', error: { code, data: { code: 'mcp_message_invalid' } } }, what);
    t.equal(said.id, id, what);
  }
});

t.test('a client that reads no JSON gets a problem document', async (t) => {
  const send = await scene(t);
  t.match((await send('{', { accept: 'text/event-stream' })).said, { code: 'mcp_message_invalid', error: undefined });
});

t.test('a request without a valid token learns nothing about its message', async (t) => {
  const send = await scene(t);
  const message = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
  for (const params of [{ name: 'echo' }, {}, { name: 'drop_table' }]) {
    const { status, said } = await send(message(params), { token: 'foreign' });
    t.equal(status, 401);
    t.match(said, { id: 3, error: { code: -32600, data: { code: 'token_malformed' } } });
  }
});

t.test('a refused answer to a request of the server ends no request of the client', async (t) => {
  const send = await scene(t);
  const { status, said } = await send('{"jsonrpc":"2.0","id":3,"result":{}}', {
    token: await jwt({ scope: 'other' }, { alg: 'HS256' }),
  });
  t.equal(status, 403);
  t.match(said, { code: 'scope_insufficient' });
  t.equal(said.id, undefined);
  t.equal((await send('{"jsonrpc":"2.0","id":3,"result":{},"error":{}}')).said.id, null);
});

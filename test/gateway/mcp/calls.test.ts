import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { type ToolsUpstream, toolsUpstream } from '../../support/mcp/tools-upstream.ts';
import { jwt } from '../../support/tokens.ts';

const hmacToken = (claims: Record<string, unknown>) => jwt(claims, { alg: 'HS256' });

const NEW = '2026-07-28';
const rules = {
  scope: {
    '*': 'mcp.use',
    'tools/call': 'tools.run',
    'tools/call delete_*': 'tools.run tools.admin',
    'prompts/get secret': 'nobody',
    'resources/read file:///etc/*': 'nobody',
  },
  deny: ['tools/call drop_table'],
};

interface Scene {
  readonly upstream: ToolsUpstream;
  readonly url: string;
  readonly log: readonly Record<string, unknown>[];
}

async function scene(t: Test, mcp: object = rules, { stream = false, route = {} } = {}): Promise<Scene> {
  const upstream = await toolsUpstream(t, { stream });
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp, ...route }];
  const { url, log } = await gateway(t, behind(upstream.url, { routes }));
  return { upstream, url: `${url}/mcp`, log };
}

const call = (name: string, args: object = {}) => request('tools/call', { name, arguments: args });

function request(method: string, params: object = {}): object {
  return {
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': NEW } },
  };
}

interface Sent {
  readonly scope?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: object;
  readonly method?: string;
}

function mirrored(message: { method?: string; params?: { name?: string; uri?: string } }): Record<string, string> {
  const name = message.params?.name ?? message.params?.uri;
  return {
    'mcp-protocol-version': NEW,
    'mcp-method': message.method ?? '',
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

async function post(url: string, body: object | string, { scope, headers, claims = {} }: Sent = {}): Promise<Response> {
  const token = scope === undefined ? {} : { authorization: `Bearer ${await hmacToken({ scope, ...claims })}` };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const own = typeof body === 'string' ? {} : mirrored(body);
  return fetch(url, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...own,
      ...token,
      ...headers,
    },
  });
}

t.test('a tool call needs the scope of its most specific rule', async (t) => {
  const { url, upstream } = await scene(t);
  t.equal((await post(url, call('echo'), { scope: 'tools.run' })).status, 200);
  t.equal((await post(url, call('delete_user'), { scope: 'tools.run tools.admin' })).status, 200);
  t.equal((await post(url, request('ping'), { scope: 'mcp.use' })).status, 200);
  const passed = upstream.reached.length;
  const refused = await post(url, call('delete_user'), { scope: 'tools.run' });
  t.equal(refused.status, 403);
  t.match(
    refused.headers.get('www-authenticate'),
    /error="insufficient_scope".*scope="tools.run tools.admin"|scope="tools.run tools.admin".*error="insufficient_scope"/,
  );
  t.match(await refused.json(), {
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32600, data: { code: 'scope_insufficient', scope: 'tools.run tools.admin' } },
  });
  t.equal(upstream.reached.length, passed);
});

t.test('a request without a token gets 401 before its message is read', async (t) => {
  const { url, upstream } = await scene(t);
  const refused = await post(url, '{"not json');
  t.equal(refused.status, 401);
  t.match(refused.headers.get('www-authenticate'), /scope="mcp.use"/);
  t.equal(upstream.reached.length, 0);
});

t.test('a denied operation gets 403 without a challenge, whatever the scope', async (t) => {
  const { url } = await scene(t);
  const refused = await post(url, call('drop_table'), { scope: 'mcp.use tools.run tools.admin nobody' });
  t.equal(refused.status, 403);
  t.equal(refused.headers.get('www-authenticate'), null);
  t.match(await refused.json(), { id: 7, error: { data: { code: 'mcp_operation_denied' } } });
});

const strict: Readonly<Record<string, string>> = {
  'a batch': '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  'a name twice': '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
  'a name twice, once escaped': '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call"}',
  'a name that Go reads as ours': '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
  'a long s':
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"param\u017f":{"name":"drop_table"}}',
  'trailing bytes': '{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
  'a byte order mark': '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}',
  'half of a surrogate pair': '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
  'a NUL in the method': '{"jsonrpc":"2.0","id":1,"method":"ping\\u0000"}',
  'positional parameters': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo"]}',
  'depth 65': `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(64)}${']'.repeat(64)}}}`,
  'no method': '{"jsonrpc":"2.0","id":1}',
  'an id of null': '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  'a tool whose name is a number': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}',
};

t.test('a body that two readers could understand differently gets 400', async (t) => {
  const { url, upstream } = await scene(t);
  for (const [what, body] of Object.entries(strict)) {
    const refused = await post(url, body, { scope: 'mcp.use tools.run tools.admin' });
    t.equal(refused.status, 400, what);
    t.match(await refused.text(), /"mcp_message_invalid"/, what);
  }
  t.equal(upstream.reached.length, 0);
});

t.test('the upstream gets the bytes that were judged', async (t) => {
  const { url, upstream } = await scene(t);
  const body = `{ "jsonrpc" : "2.0",\n"id":1e2, "method":"ping", "params":{"n":12345678901234567890, "\\u0061":1.0} }`;
  t.equal((await post(url, body, { scope: 'mcp.use' })).status, 200);
  t.equal(upstream.reached[0]?.body, body);
});

const mismatches: Readonly<Record<string, Record<string, string>>> = {
  'another method': { 'mcp-method': 'ping' },
  'another name': { 'mcp-name': 'drop_table' },
  'another case': { 'mcp-method': 'Tools/Call' },
  'an older version': { 'mcp-protocol-version': '2025-11-25' },
  'another spelling': { mcp_name: 'drop_table' },
};

t.test('headers that do not match the body get 400 and -32020', async (t) => {
  const { url, upstream } = await scene(t);
  for (const [what, headers] of Object.entries(mismatches)) {
    const refused = await post(url, call('echo'), { scope: 'tools.run', headers });
    t.equal(refused.status, 400, what);
    t.match(await refused.json(), { id: 7, error: { code: -32020, data: { code: 'mcp_header_mismatch' } } }, what);
  }
  t.equal(upstream.reached.length, 0);
});

t.test('an old client needs no headers, and derive writes them from the body', async (t) => {
  const old = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ech\u00f6' } });
  const required = await scene(t);
  t.equal((await post(required.url, old, { scope: 'tools.run' })).status, 200);
  t.equal(required.upstream.reached[0]?.headers['mcp-method'], undefined);
  const derived = await scene(t, { ...rules, mirror: 'derive' });
  t.equal((await post(derived.url, old, { scope: 'tools.run' })).status, 200);
  t.match(derived.upstream.reached[0]?.headers, { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?ZWNow7Y=?=' });
});

t.test('a version that is not listed gets 400 and -32022 with the list', async (t) => {
  const { url } = await scene(t, { ...rules, versions: [NEW] });
  t.equal((await post(url, call('echo'), { scope: 'tools.run' })).status, 200);
  const body = { jsonrpc: '2.0', id: 7, method: 'ping' };
  const refused = await post(url, JSON.stringify(body), {
    scope: 'mcp.use',
    headers: { 'mcp-protocol-version': '2025-06-18' },
  });
  t.equal(refused.status, 400);
  t.match(await refused.json(), { error: { code: -32022, data: { supported: [NEW], requested: '2025-06-18' } } });
});

for (const stream of [false, true])
  t.test(`a list ${stream ? 'in events ' : ''}contains only what the token may use`, async (t) => {
    const { url, upstream } = await scene(t, rules, { stream });
    const listed = async (method: string, scope: string) => {
      const text = await (await post(url, request(method), { scope, headers: { 'accept-encoding': 'gzip' } })).text();
      return JSON.parse(stream ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text).result;
    };
    const tools = await listed('tools/list', 'mcp.use tools.run');
    t.strictSame(
      tools.tools.map(({ name }: { name: string }) => name),
      ['echo'],
    );
    t.match(tools, { nextCursor: 'c2', ttlMs: 1000, cacheScope: 'private' });
    t.equal(upstream.reached[0]?.headers['accept-encoding'], undefined);
    t.equal((await listed('tools/list', 'mcp.use tools.run tools.admin')).tools.length, 2);
    t.strictSame(await listed('prompts/list', 'mcp.use'), { prompts: [{ name: 'plain' }] });
    t.strictSame(await listed('resources/list', 'mcp.use'), { resources: [{ uri: 'file:///srv/a' }] });
    t.strictSame(await listed('resources/templates/list', 'mcp.use'), {
      resourceTemplates: [{ uriTemplate: 'file:///srv/{x}' }],
    });
  });

t.test('every reading of a resource has the same rule, or the answer is 400', async (t) => {
  const { url } = await scene(t);
  const status = async (uri: string) =>
    (await post(url, request('resources/read', { uri }), { scope: 'mcp.use' })).status;
  t.equal(await status('file:///srv/a'), 200);
  t.equal(await status('file:///etc/passwd'), 403);
  for (const uri of [
    'file:///srv/../etc/passwd',
    'FILE:///etc/passwd',
    'file:///%65tc/passwd',
    'file:///srv/%2e%2e/etc/passwd',
    'file:\\\\\\etc\\passwd',
  ])
    t.equal(await status(uri), 400, uri);
});

t.test('a session belongs to the caller that got it', async (t) => {
  const { url, upstream } = await scene(t, { ...rules, sessions: true });
  const old = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
  const opened = await post(url, old('initialize'), { scope: 'mcp.use' });
  const session = opened.headers.get('mcp-session-id') ?? '';
  t.not(session, 'session-1');
  const headers = { 'mcp-session-id': session };
  t.equal((await post(url, old('ping'), { scope: 'mcp.use', headers })).status, 200);
  t.equal(upstream.reached.at(-1)?.headers['mcp-session-id'], 'session-1');
  const passed = upstream.reached.length;
  for (const claims of [{ sub: 'bob' }, { client_id: 'other' }])
    t.equal((await post(url, old('ping'), { scope: 'mcp.use', headers, claims })).status, 404);
  t.equal((await post(url, old('ping'), { scope: 'mcp.use', headers: { 'mcp-session-id': 'session-1' } })).status, 404);
  const bob = { ...headers, authorization: `Bearer ${await hmacToken({ scope: 'mcp.use', sub: 'bob' })}` };
  for (const method of ['GET', 'DELETE']) t.equal((await fetch(url, { method, headers: bob })).status, 404);
  t.equal(upstream.reached.length, passed);
});

t.test('a session belongs to one token, if the token names neither a user nor a client', async (t) => {
  const { url } = await scene(t, { ...rules, sessions: true });
  const nameless = async (jti: string) =>
    `Bearer ${await hmacToken({ scope: 'mcp.use', sub: undefined, client_id: undefined, jti })}`;
  const [one, other] = [await nameless('a'), await nameless('b')];
  const send = (authorization: string, session: object = {}) =>
    post(url, '{"jsonrpc":"2.0","id":1,"method":"initialize"}', { headers: { authorization, ...session } });
  const session = { 'mcp-session-id': (await send(one)).headers.get('mcp-session-id') ?? '' };
  t.equal((await send(one, session)).status, 200);
  t.equal((await send(other, session)).status, 404);
});

t.test('an event of a stream belongs to the caller that got it, and a resumed stream is filtered', async (t) => {
  const { url, upstream } = await scene(t, { ...rules, sessions: true });
  const as = async (sub: string) => ({
    authorization: `Bearer ${await hmacToken({ scope: 'mcp.use tools.run', sub })}`,
  });
  const text = await (await fetch(url, { headers: await as('alice') })).text();
  const id = /^id: (.*)$/m.exec(text)?.[1] ?? '';
  t.not(id, 'event-1');
  t.notMatch(text, /delete_user|drop_table/);
  const resumed = await fetch(url, { headers: { ...(await as('alice')), 'last-event-id': id } });
  t.equal(resumed.status, 200);
  await resumed.text();
  t.equal(upstream.reached.at(-1)?.headers['last-event-id'], 'event-1');
  t.equal((await fetch(url, { headers: { ...(await as('bob')), 'last-event-id': id } })).status, 404);
  t.equal((await fetch(url, { headers: { ...(await as('alice')), 'last-event-id': 'event-1' } })).status, 404);
});

t.test('without sessions, GET and DELETE get 405, and no id of a session passes', async (t) => {
  const { url, upstream } = await scene(t);
  const refused = await fetch(url);
  t.equal(refused.status, 405);
  t.equal(refused.headers.get('allow'), 'POST');
  const answer = await post(url, request('initialize'), { scope: 'mcp.use', headers: { 'mcp-session-id': 'other' } });
  t.equal(answer.headers.get('mcp-session-id'), null);
  t.equal(upstream.reached[0]?.headers['mcp-session-id'], undefined);
});

t.test('an argument that a header repeats must equal the claim', async (t) => {
  const route = { claims_to_params: { 'Mcp-Param-Tenant': 'tenant' } };
  const { url } = await scene(t, rules, { route });
  const send = (tenant: string, header: string) =>
    post(url, call('echo', { tenant }), {
      scope: 'tools.run',
      claims: { tenant: 'acme' },
      headers: { 'mcp-param-tenant': header },
    });
  const unseen = await send('acme', 'acme');
  t.equal(unseen.status, 400, 'the gateway has not seen the tool');
  t.match(await unseen.json(), { error: { code: -32020 } });
  await (await post(url, request('tools/list'), { scope: 'mcp.use' })).text();
  t.equal((await send('acme', 'acme')).status, 200);
  t.equal((await send('other', 'other')).status, 403);
  t.equal((await send('other', 'acme')).status, 400);
  t.equal((await post(url, call('echo', {}), { scope: 'tools.run', claims: { tenant: 'acme' } })).status, 403);
});

t.test('integers are compared as numbers, and a missing header of a known tool gets 400', async (t) => {
  const { url } = await scene(t);
  await (await post(url, request('tools/list'), { scope: 'mcp.use' })).text();
  const send = (headers: Record<string, string>) =>
    post(url, call('echo', { count: 42 }), { scope: 'tools.run', headers });
  t.equal((await send({ 'mcp-param-count': '42.0' })).status, 200);
  t.equal((await send({ 'mcp-param-count': '43' })).status, 400);
  t.equal((await send({})).status, 400);
});

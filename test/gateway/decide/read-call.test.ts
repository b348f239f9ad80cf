import t from 'tap';
import type { Outcome } from '../../../src/gateway/decide/outcome.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';
import { alice, bearer, type Decider, decider, type Request } from './decider.ts';

const scopes = ['mcp.use', 'tools.run', 'a', 'b'];

function gateway(mcp: object, more: object = {}, claims: object = { tenant: 'acme' }): Decider {
  const routes = [{ id: 'tools', match: { path: '/mcp' }, access: 'authenticated', mcp, ...more }];
  const identity = { ...alice, scopes: new Set(scopes), claims: { sub: 'alice', ...claims } };
  return decider({ routes }, { verify: () => ({ kind: 'verified', identity, cache: 'hit' }) });
}

/** The code of a refusal, or `forward`. */
async function told(decided: Outcome | Promise<Outcome>): Promise<string> {
  const outcome = await decided;
  return outcome.kind === 'refuse' || outcome.kind === 'unavailable' ? outcome.code : outcome.kind;
}

function message(body: object | string, headers: readonly string[] = [], line = 'POST /mcp'): Request {
  const text = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body });
  const type = headers.some((name) => /^content.type$/i.test(name)) ? [] : ['Content-Type', 'application/json'];
  return { line, headers: [...bearer, ...type, 'Content-Length', String(text.length), ...headers], body: text };
}

const ping = { method: 'ping' };
const call = (args: object) => ({ method: 'tools/call', params: { name: 'echo', arguments: args } });

t.test('only POST, GET and DELETE have a route, and GET and DELETE only with sessions', async (t) => {
  for (const method of ['HEAD', 'PUT', 'PATCH', 'OPTIONS', 'post', 'TRACE', 'QUERY'])
    for (const sessions of [false, true])
      t.equal(await told(gateway({ sessions }).decide(message(ping, [], `${method} /mcp`))), 'method_not_allowed');
  for (const method of ['GET', 'DELETE']) {
    const request = { line: `${method} /mcp`, headers: bearer };
    t.equal(await told(gateway({}).decide(request)), 'method_not_allowed');
    t.equal(await told(gateway({ sessions: true }).decide(request)), 'forward');
  }
});

t.test('a body of GET or DELETE gets 400, because some servers read it', async (t) => {
  for (const method of ['GET', 'DELETE']) {
    const { decide } = gateway({ sessions: true });
    t.equal(await told(decide(message(call({}), [], `${method} /mcp`))), 'mcp_message_invalid');
    const chunked = { line: `${method} /mcp`, headers: [...bearer, 'Transfer-Encoding', 'chunked'], body: '{}' };
    t.equal(await told(decide(chunked)), 'mcp_message_invalid');
  }
});

t.test('the route opens no WebSocket, because the gateway does not read its messages', async (t) => {
  const { decide } = gateway({ sessions: true });
  const upgrade = (to: string) => ({ line: 'GET /mcp', headers: [...bearer, 'Connection', 'Upgrade', 'Upgrade', to] });
  t.equal(await told(decide(upgrade('websocket'))), 'mcp_message_invalid');
  t.equal(await told(decide(upgrade('h2c, WebSocket'))), 'mcp_message_invalid');
  t.equal(await told(decide(upgrade('h2c'))), 'forward', 'Java offers it with every first request');
});

t.test('a body is read in the type and the coding of its header only', async (t) => {
  const { decide } = gateway({});
  const typed = (...headers: readonly string[]) => told(decide(message(ping, headers)));
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])
    t.equal(await typed('Content-Type', type), 'forward', type);
  for (const type of [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    '',
  ])
    t.equal(await typed('Content-Type', type), 'mcp_media_type', type);
  const json = ['Content-Type', 'application/json'];
  t.equal(await typed(...json, ...json), 'mcp_media_type');
  t.equal(await typed(...json, 'Content_Type', 'text/plain; charset=utf-7'), 'mcp_media_type');
  t.equal(await typed('Content_Type', 'application/json'), 'mcp_media_type');
  for (const coding of ['gzip', 'identity', '']) t.equal(await typed('Content-Encoding', coding), 'mcp_media_type');
  t.equal(await typed('Content_Encoding', 'gzip'), 'mcp_media_type');
});

t.test('Connection names no header that the message repeats', async (t) => {
  const { decide } = gateway({});
  const named = (name: string) => told(decide(message(ping, ['Mcp-Method', 'ping', 'Connection', `close, ${name}`])));
  for (const name of ['Mcp-Method', 'mcp-name', 'MCP-Protocol-Version', 'Content-Type'])
    t.equal(await named(name), 'connection_names_decisive', name);
  t.equal(await named('Mcp-Param-Tenant'), 'mcp_header_mismatch');
  t.equal(await named('X-Other'), 'forward');
});

t.test('a rule counts once, however often a message needs it', async (t) => {
  const any = { any_of: ['a', 'x'] };
  const { decide } = gateway({ scope: { 'resources/read': any, 'resources/read a:*': { any_of: ['b', 'y'] } } });
  const listen = (uris: readonly string[]) =>
    decide(message({ method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: uris } } }));
  const outcome = await listen([...Array(500).fill('b:c'), ...Array(500).fill('a:c')]);
  t.equal(outcome.kind, 'forward');
  t.match(outcome, { call: { rule: 'resources/read, resources/read a:*' } });
  t.equal(outcome.route?.requirements.scope?.alternatives.length, 4);
});

t.test('a message that needs very many rules gets 400, because their alternatives multiply', async (t) => {
  const scope = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`resources/read r${index}:*`, { any_of: ['a', 'b'] }]),
  );
  const { decide } = gateway({ scope });
  const listen = (many: number) =>
    message({
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: Array.from({ length: many }, (_, index) => `r${index}:x`) } },
    });
  t.equal(await told(decide(listen(8))), 'forward');
  t.equal(await told(decide(listen(9))), 'mcp_message_invalid');
});

t.test('a name that leads to two rules gets 400, and one that leads to one rule has its scope', async (t) => {
  const { decide } = gateway({ scope: { '*': 'mcp.use', 'tools/call drop_*': 'nobody' }, deny: ['tools/call halt'] });
  const use = (name: string) => told(decide(message({ method: 'tools/call', params: { name } })));
  t.equal(await use('echo'), 'forward');
  t.equal(await use('drop_table'), 'scope_insufficient');
  t.equal(await use('halt'), 'mcp_operation_denied');
  for (const name of ['Drop_table', ' drop_table', 'HALT', 'halt ']) t.equal(await use(name), 'mcp_name_unclear', name);
});

/** Two arguments that one header repeats. */
const definition: JsonObject = {
  inputSchema: { properties: { a: { 'x-mcp-header': 'Tenant' }, b: { 'x-mcp-header': 'Tenant' } } },
};

t.test('every argument that the header repeats must be the text of the claim', async (t) => {
  const asked = async (args: object, claims?: object) => {
    const { route, decide } = gateway({}, { claims_to_params: { 'Mcp-Param-Tenant': 'tenant' } }, claims);
    const routed = route(message(ping));
    if (routed.kind === 'routed') routed.route.mcp?.tools.learn('echo', definition);
    return told(decide(message(call(args))));
  };
  t.equal(await asked({ a: 'acme', b: 'acme' }), 'forward');
  for (const args of [
    {},
    { a: 'acme' },
    { a: 'acme', b: 'other' },
    { a: 'other', b: 'acme' },
    { a: ['acme'], b: 'acme' },
    { a: 'acme', b: { toString: 1, valueOf: 1 } },
    { a: 'acme', b: null },
  ])
    t.equal(await asked(args), 'condition_failed', JSON.stringify(args));
  t.equal(await asked({ a: 1, b: 1 }, { tenant: 1 }), 'forward');
  for (const tenant of [undefined, null, ['acme'], { a: 'acme' }])
    t.equal(await asked({ a: 'acme', b: 'acme' }, { tenant }), 'condition_failed', JSON.stringify(tenant));
});

t.test('an id of an event may have any letters, and an id of a session has those of a header', async (t) => {
  const { route, decide } = gateway({ sessions: true });
  const routed = route({ line: 'GET /mcp' });
  const seal = routed.kind === 'routed' ? routed.route.mcp?.seal : undefined;
  const owner = JSON.stringify([alice.scheme, alice.issuer, alice.subject, alice.clientId]);
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  for (const [name, value, own] of [
    ['last-event-id', bytes(seal?.seal('event', owner, '\u00e9\u{1f600}') ?? ''), bytes('\u00e9\u{1f600}')],
    ['mcp-session-id', seal?.seal('session', owner, '\u00e9') ?? '', '\u00e9'],
  ] as const) {
    const outcome = await decide({ line: 'GET /mcp', headers: [...bearer, name, value] });
    t.equal(outcome.kind === 'forward' ? outcome.mcp?.replaced.get(name) : outcome.kind, own);
  }
});

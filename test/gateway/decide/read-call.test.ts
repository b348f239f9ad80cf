import t from 'tap';
import { bearer } from './decider.ts';
import { as, call, gateway, message, ping, told } from './messages.ts';

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
    t.match(await decide(chunked), {
      code: 'mcp_message_invalid',
      route: { id: 'tools' },
      detail: /only a POST/,
      call: { error: -32600 },
    });
  }
});

t.test('the route opens no WebSocket, because the gateway does not read its messages', async (t) => {
  const { decide } = gateway({ sessions: true });
  const upgrade = (to: string) => ({ line: 'GET /mcp', headers: [...bearer, 'Connection', 'Upgrade', 'Upgrade', to] });
  t.equal(await told(decide(upgrade('websocket'))), 'mcp_message_invalid');
  t.match(await decide(upgrade('h2c, WebSocket')), {
    code: 'mcp_message_invalid',
    route: { id: 'tools' },
    detail: /WebSocket/,
    identity: { subject: 'alice' },
  });
  t.equal(await told(decide(upgrade('h2c'))), 'forward', 'Java offers it with every first request');
  const posted = message(ping, ['Connection', 'Upgrade', 'Upgrade', 'websocket']);
  t.equal(await told(decide(posted)), 'forward', 'a WebSocket begins with GET (RFC 6455 §4.1)');
});

t.test('a body is read in the type and the coding of its header only', async (t) => {
  const { decide } = gateway({});
  const typed = (...headers: readonly string[]) => told(decide(message(ping, headers)));
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset = utf-8',
  ])
    t.equal(await typed('Content-Type', type), 'forward', type);
  for (const type of [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/plain application/json',
    'application/json; charset=utf-8x',
    'application/json; charset=x-utf-8',
    'application/json; charsets=utf-8',
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
  t.match(await decide(listen(9)), {
    code: 'mcp_message_invalid',
    detail: 'more than 8 rules of the route apply to the message: send several messages with fewer resources each',
    call: { id: 1, error: -32602 },
  });
});

t.test('a name that leads to two rules gets 400, and one that leads to one rule has its scope', async (t) => {
  const { decide } = gateway({ scope: { '*': 'mcp.use', 'tools/call drop_*': 'nobody' }, deny: ['tools/call halt'] });
  const use = (name: string) => told(decide(message({ method: 'tools/call', params: { name } })));
  t.equal(await use('echo'), 'forward');
  t.equal(await use('drop_table'), 'scope_insufficient');
  t.equal(await use('halt'), 'mcp_operation_denied');
  t.match(await decide(message({ method: 'tools/call', params: { name: 'halt' } })), {
    call: { rule: 'tools/call halt' },
  });
  for (const name of ['Drop_table', ' drop_table', 'HALT', 'halt ']) t.equal(await use(name), 'mcp_name_unclear', name);
});

t.test('a body that is no message gets an error of JSON-RPC with its id', async (t) => {
  const { decide } = gateway({});
  const faults: readonly (readonly [body: string, error: number, id?: number])[] = [
    ['{', -32700],
    ['[]', -32600],
    ['{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call"}', -32602, 7],
  ];
  for (const [body, error, id] of faults)
    t.match(
      await decide(message(body)),
      { code: 'mcp_message_invalid', route: { id: 'tools' }, call: { id, error } },
      body,
    );
  const bare = await decide({ line: 'POST /mcp', headers: bearer });
  t.match(bare, { code: 'mcp_message_invalid', detail: 'the request has no body', call: { error: -32700 } });
});

t.test('a message is refused for its form before its scope is known, but after its audience', async (t) => {
  const elsewhere = { audience: ['https://other.example'] };
  const { decide } = gateway({ scope: { '*': 'nobody' } }, { access: undefined }, { elsewhere });
  const broken = (caller: string) => told(decide(message('{', [], undefined, as(caller))));
  t.equal(await told(decide(message(ping))), 'scope_insufficient');
  t.equal(await broken('t'), 'mcp_message_invalid');
  t.equal(await broken('elsewhere'), 'token_audience');
});

t.test('the message of a stranger is not read, and a stranger learns nothing about it', async (t) => {
  const decider = gateway({});
  const stranger = message(ping, [], undefined, []);
  t.equal(decider.needs(stranger), undefined);
  const outcome = await decider.decide({ ...stranger, body: undefined as never });
  t.match(outcome, { kind: 'refuse', code: 'credential_missing', call: undefined });
  t.equal(await told(decider.decide(message('{', [], undefined, []))), 'credential_missing');
});

t.test('a message is read, up to the limit of its route, if its caller may be known', async (t) => {
  const wanted = { kind: 'message', limit: 100, tooLarge: 'mcp_message_too_large' };
  const read = (more: object, caller: readonly string[]) =>
    gateway({ body: '100B' }, more).needs(message(ping, [], undefined, caller));
  t.strictSame(read({}, bearer), wanted);
  t.equal(read({}, []), undefined);
  for (const access of ['public', 'optional']) t.strictSame(read({ access }, []), wanted, access);
  const length = (bytes: number) => ({ line: 'POST /mcp', headers: [...bearer, 'Content-Length', String(bytes)] });
  const { route, needs } = gateway({ body: '100B' });
  t.match(route(length(101)), { kind: 'refuse', code: 'mcp_message_too_large', route: { id: 'tools' } });
  t.match(route(length(100)), { kind: 'routed' });
  t.equal(needs({ line: 'POST /mcp', headers: bearer }), undefined, 'there is no body');
});

const NEW = '2026-07-28';
const REVISION = 'io.modelcontextprotocol/protocolVersion';
const VERSION = 'MCP-Protocol-Version';
const named = (revision: string, method = 'ping') => ({ method, params: { _meta: { [REVISION]: revision } } });

t.test('a revision is the one of the header, then of the body, then the one that needs no header', async (t) => {
  const refused = (detail: string) => ({
    code: 'mcp_version_unsupported',
    route: { id: 'tools' },
    detail,
    call: { id: 1, message: { method: 'ping' } },
  });
  const only = (...versions: readonly string[]) => gateway({ versions, mirror: 'off' });
  t.equal(await told(only('2025-06-18').decide(message(ping, [VERSION, '2025-06-18']))), 'forward');
  t.match(await only('2025-06-18').decide(message(ping, [VERSION, NEW])), refused(NEW));
  t.match(await only(NEW, '2025-06-18').decide(message(ping)), refused('2025-03-26'));
  t.equal(await told(only('2025-03-26').decide(message(ping))), 'forward');
  t.equal(await told(only(NEW).decide(message(named(NEW)))), 'forward');
  t.match(await only('2025-03-26').decide(message(named(NEW))), refused(NEW));
  t.match(await only(NEW).decide(message(named(NEW), [VERSION, '2025-06-18'])), refused('2025-06-18'));
  t.equal(
    await told(gateway({ mirror: 'off' }).decide(message(ping, [VERSION, '1999-01-01']))),
    'forward',
    'without a list',
  );
});

t.test('`initialize` needs no header, because it agrees on a revision in the body', async (t) => {
  const { decide } = gateway({ versions: ['2025-06-18'] });
  const initialize = (...headers: readonly string[]) => told(decide(message({ method: 'initialize' }, headers)));
  t.equal(await initialize(), 'forward');
  t.equal(await initialize(VERSION, '2025-06-18'), 'forward');
  t.equal(await initialize(VERSION, '2024-11-05'), 'mcp_version_unsupported');
});

t.test('a revision that occurs twice or in another spelling gets 400, whatever the revision', async (t) => {
  const { decide } = gateway({ versions: ['2025-06-18'], mirror: 'off' });
  const one = [VERSION, '2025-06-18'];
  for (const headers of [
    [...one, ...one],
    ['MCP_Protocol_Version', '2025-06-18'],
  ])
    t.match(await decide(message(ping, headers)), { code: 'mcp_header_mismatch', detail: /MCP-Protocol-Version/ });
});

t.test('a header that repeats the message must match it, and derive adds one that is missing', async (t) => {
  const decided = async (mirror: string, ...headers: readonly string[]) =>
    gateway({ mirror }).decide(message(call({}), headers));
  t.match(await decided('require', 'Mcp-Method', 'ping'), {
    code: 'mcp_header_mismatch',
    route: { id: 'tools' },
    detail: /Mcp-Method/,
    call: { id: 1 },
  });
  t.equal(await told(decided('off', 'Mcp-Method', 'ping')), 'forward');
  t.match(await decided('require'), { kind: 'forward', call: { added: [] } });
  const added = ['Mcp-Method', 'tools/call', 'Mcp-Name', 'echo'];
  t.match(await decided('derive'), { kind: 'forward', call: { added } });
});

t.test('the record of a call names its tool, and a prompt of the same name is no tool', async (t) => {
  const { route, decide } = gateway({});
  const routed = route(message(ping));
  if (routed.kind === 'routed') routed.route.mcp?.tools.learn('echo', {});
  const tool = async (method: string) => {
    const outcome = await decide(message({ method, params: { name: 'echo' } }));
    return outcome.kind === 'forward' ? outcome.call?.tool?.params : outcome.kind;
  };
  t.strictSame(await tool('tools/call'), []);
  t.equal(await tool('prompts/get'), undefined);
});

t.test('shadow mode records what the message would cause, and forwards it', async (t) => {
  const { decide } = gateway({ deny: ['tools/call'] }, { mode: 'shadow' });
  t.match(await decide(message(ping)), { kind: 'forward', shadow: 'pass', call: { message: { method: 'ping' } } });
  t.match(await decide(message(call({}))), { kind: 'forward', shadow: { code: 'mcp_operation_denied' } });
  t.match(await decide(message('{')), { kind: 'forward', shadow: { code: 'mcp_message_invalid' } });
});

t.test('shadow mode forwards a message without a known length, and records that it was not read', async (t) => {
  const { needs, decide } = gateway({}, { mode: 'shadow' });
  const json = ['Content-Type', 'application/json', 'Transfer-Encoding', 'chunked'];
  const chunked = { line: 'POST /mcp', headers: [...bearer, ...json] };
  t.equal(needs(chunked), undefined);
  t.match(await decide(chunked), {
    kind: 'forward',
    call: undefined,
    shadow: { code: 'mcp_message_invalid', detail: /not read/, route: { id: 'tools' }, identity: { subject: 'alice' } },
  });
});

import t from 'tap';
import { readMessage } from '../../../src/gateway/mcp/message.ts';
import { type MirrorMode, mirror } from '../../../src/gateway/mcp/mirror.ts';
import { type ToolParam, toolParams } from '../../../src/gateway/mcp/tool-params.ts';
import { headOf } from '../head.ts';

const NEW = '2026-07-28';
const OLD = '2025-11-25';
const REVISION = 'io.modelcontextprotocol/protocolVersion';

interface Asked {
  readonly mode?: MirrorMode;
  readonly params?: readonly ToolParam[];
}

/** `same`, the reason, or the added headers. */
function compared(
  message: object,
  headers: Readonly<Record<string, string>> | readonly string[],
  { mode = 'require', params = [] }: Asked = {},
) {
  const read = readMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  if (read.kind === 'fault') throw new Error(read.detail);
  const lines = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  const found = mirror(headOf(lines, 'POST', '/mcp'), read, params, mode);
  if (found.kind === 'mismatch') return found.detail;
  return found.added.length === 0 ? 'same' : found.added.join(' ');
}

const request = (method: string, params: object = {}) => ({ id: 1, method, params });
const call = (name: string, args: object = {}) => request('tools/call', { name, arguments: args });
const version = (revision: string) => ({ 'MCP-Protocol-Version': revision });
const named = (method: string, name: string) => ({ 'Mcp-Method': method, 'Mcp-Name': name });

t.test('since revision 2026-07-28, a request must repeat its method and name', async (t) => {
  for (const revision of [NEW, '2099-01-01', 'x']) {
    const with_ = (more: object) => ({ ...version(revision), ...more });
    t.equal(compared(call('echo'), with_(named('tools/call', 'echo'))), 'same');
    t.equal(compared(call('echo'), with_({ 'Mcp-Method': 'tools/call' })), 'Mcp-Name is missing');
    t.equal(compared(call('echo'), with_({ 'Mcp-Name': 'echo' })), 'Mcp-Method is missing');
    t.equal(compared(request('ping'), with_({ 'Mcp-Method': 'ping' })), 'same');
  }
});

t.test('in older revisions the headers may be absent, and must match if they are there', async (t) => {
  for (const headers of [version(OLD), {}]) {
    t.equal(compared(call('echo'), headers), 'same');
    t.equal(compared(call('echo'), { ...headers, 'Mcp-Name': 'drop' }), 'Mcp-Name does not match the body');
    t.equal(compared(call('echo'), { ...headers, 'Mcp-Method': 'ping' }), 'Mcp-Method does not match the body');
  }
});

t.test('the revision of the body counts if the header is absent, and both must be equal', async (t) => {
  const body = (revision: string) => request('ping', { _meta: { [REVISION]: revision } });
  t.equal(compared(body(NEW), { 'Mcp-Method': 'ping' }), 'MCP-Protocol-Version is missing');
  t.equal(compared(body(NEW), { 'Mcp-Method': 'ping', ...version(NEW) }), 'same');
  t.equal(compared(body(NEW), version(OLD)), 'MCP-Protocol-Version does not match the body');
});

t.test('values are compared with their case and without decoding, and blanks around them do not matter', async (t) => {
  const told = (name: string, method = 'tools/call') =>
    compared(call('echo'), { ...version(NEW), ...named(method, name) });
  t.equal(told('=?base64?ZWNobw==?='), 'same');
  for (const name of ['Echo', 'ech%6f', '=?base64?RWNobw==?=', '"echo"', 'echo\u00a0', ''])
    t.equal(
      told(name),
      name.endsWith('\u00a0') ? 'Mcp-Name occurs twice, or in another spelling' : 'Mcp-Name does not match the body',
      name,
    );
  t.equal(told('echo', '=?base64?dG9vbHMvY2FsbA==?='), 'Mcp-Method does not match the body');
});

t.test('a header that occurs twice or in another spelling is a mismatch, even with the same value', async (t) => {
  for (const name of ['Mcp-Name', 'Mcp_Name', 'mcp.name'])
    t.equal(
      compared(call('echo'), ['Mcp-Name', 'echo', name, 'echo']),
      'Mcp-Name occurs twice, or in another spelling',
      name,
    );
  t.equal(compared(call('echo'), ['mcp_method', 'tools/call']), 'Mcp-Method occurs twice, or in another spelling');
});

t.test('a header without a counterpart in the body is a mismatch', async (t) => {
  t.equal(compared(request('ping'), { 'Mcp-Name': 'echo' }), 'Mcp-Name does not match the body');
  t.equal(
    compared(request('tools/list', { name: 'echo' }), { 'Mcp-Name': 'echo' }),
    'Mcp-Name does not match the body',
  );
  t.equal(compared({ id: 1, result: {} }, { 'Mcp-Method': 'tools/call' }), 'Mcp-Method does not match the body');
  t.equal(compared({ id: 1, result: {} }, version(NEW)), 'same');
});

t.test('a task repeats its id', async (t) => {
  t.equal(compared(request('tasks/get', { taskId: 't1' }), named('tasks/get', 't1')), 'same');
  t.equal(
    compared(request('tasks/get', { taskId: 't1' }), named('tasks/get', 't2')),
    'Mcp-Name does not match the body',
  );
});

t.test('a notification needs no headers, but a call without an id needs the same ones', async (t) => {
  t.equal(compared({ method: 'notifications/initialized' }, version(NEW)), 'same');
  t.equal(compared({ method: 'tools/call', params: { name: 'echo' } }, version(NEW)), 'Mcp-Method is missing');
});

const params = toolParams({
  properties: {
    tenant: { type: 'string', 'x-mcp-header': 'Tenant' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
  },
});

function param(args: object, headers: Readonly<Record<string, string>>, mode: MirrorMode = 'require') {
  return compared(
    call('echo', args),
    { ...version(NEW), ...named('tools/call', 'echo'), ...headers },
    { params, mode },
  );
}

t.test('an annotated argument must be repeated, and an absent one must not', async (t) => {
  t.equal(param({ tenant: 'acme' }, { 'Mcp-Param-Tenant': 'acme' }), 'same');
  t.equal(param({ tenant: 'acme' }, {}), 'mcp-param-tenant is missing');
  t.equal(param({ tenant: 'acme' }, { 'Mcp-Param-Tenant': 'other' }), 'mcp-param-tenant does not match the body');
  t.equal(param({ dry: true }, { 'Mcp-Param-Dry': 'true' }), 'same');
  t.equal(param({ dry: true }, { 'Mcp-Param-Dry': 'True' }), 'mcp-param-dry does not match the body');
  for (const tenant of [undefined, null, ['acme'], { a: 1 }])
    t.equal(param({ tenant }, { 'Mcp-Param-Tenant': 'acme' }), 'mcp-param-tenant does not match the body');
  t.equal(param({}, {}), 'same');
});

t.test('integers are compared as numbers, and larger ones than JavaScript holds do not match', async (t) => {
  for (const [count, header, result] of [
    [42, '42', 'same'],
    [42, '42.0', 'same'],
    [-1, '-1', 'same'],
    [10, '010', 'mcp-param-count does not match the body'],
    [2 ** 53 - 1, '9007199254740991.4', 'mcp-param-count does not match the body'],
    [42, '43', 'mcp-param-count does not match the body'],
    [42, '0x2a', 'mcp-param-count does not match the body'],
    [42, '4.2e1', 'mcp-param-count does not match the body'],
    [42, '+42', 'mcp-param-count does not match the body'],
    [2 ** 53, '9007199254740993', 'mcp-param-count does not match the body'],
    [0.5, '0.5', 'mcp-param-count does not match the body'],
  ] as const)
    t.equal(param({ count }, { 'Mcp-Param-Count': header }), result, `${count} ${header}`);
});

t.test('an argument that a reader without case finds elsewhere is a mismatch', async (t) => {
  t.equal(
    param({ tenant: 'acme', Tenant: 'other' }, { 'Mcp-Param-Tenant': 'acme' }),
    'an argument has the name `__proto__`, or a name that differs only in case from an argument with an Mcp-Param header',
  );
});

t.test('derive adds missing headers, and compares the others', async (t) => {
  const derived = (message: object, headers: Readonly<Record<string, string>> = {}) =>
    compared(message, headers, { mode: 'derive' });
  t.equal(derived(call('ech\u00f6')), 'Mcp-Method tools/call Mcp-Name =?base64?ZWNow7Y=?=');
  t.equal(derived(call('echo'), named('tools/call', 'echo')), 'same');
  t.equal(derived(call('echo'), { 'Mcp-Name': 'other' }), 'Mcp-Name does not match the body');
  t.equal(derived(request('ping', { _meta: { [REVISION]: NEW } })), `MCP-Protocol-Version ${NEW} Mcp-Method ping`);
  t.equal(derived({ id: 1, result: {} }), 'same');
  t.equal(param({ tenant: ' a', count: 7 }, {}, 'derive'), 'mcp-param-tenant =?base64?IGE=?= mcp-param-count 7');
});

t.test('derive writes no number that another reader rounds differently', async (t) => {
  for (const count of [2 ** 53, 1e21, 0.1])
    t.equal(
      param({ count }, {}, 'derive'),
      'the gateway cannot add mcp-param-count, because programs round this number differently',
    );
});

t.test('off compares nothing', async (t) => {
  t.equal(compared(call('echo'), { 'Mcp-Name': 'other', Mcp_Name: 'x' }, { mode: 'off' }), 'same');
});

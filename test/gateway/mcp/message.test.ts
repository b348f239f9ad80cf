import t from 'tap';
import { type McpMessage, type MessageFault, readMessage } from '../../../src/gateway/mcp/message.ts';

const read = (value: unknown) => readMessage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });

function messageIn(value: unknown): McpMessage {
  const message = read(value);
  if (message.kind === 'fault') throw new Error(message.detail);
  return message;
}

function faultIn(value: unknown): MessageFault {
  const message = read(value);
  if (message.kind !== 'fault') throw new Error(`read: ${JSON.stringify(message)}`);
  return message;
}

t.test('the kind of a message follows from its method and id', async (t) => {
  t.equal(messageIn(request('ping')).kind, 'request');
  t.equal(messageIn({ jsonrpc: '2.0', method: 'notifications/initialized' }).kind, 'notification');
  t.match(messageIn({ jsonrpc: '2.0', id: 1, result: {} }), { kind: 'response', method: '' });
  t.match(messageIn({ jsonrpc: '2.0', id: 1, error: {} }), { kind: 'response', method: '' });
});

t.test('an id is known if a number of JavaScript can repeat it', async (t) => {
  const idOf = (text: string) => messageIn(`{"jsonrpc":"2.0","id":${text},"method":"ping"}`).id;
  t.equal(idOf('7'), 7);
  t.equal(idOf('"a"'), 'a');
  for (const text of ['1.5', '9007199254740993', '1e400']) t.equal(idOf(text), undefined, text);
});

const operations: Readonly<Record<string, readonly [string, object, readonly string[]]>> = {
  'a tool': ['tools/call', { name: 'echo' }, ['tools/call echo']],
  'a prompt': ['prompts/get', { name: 'plain' }, ['prompts/get plain']],
  'a resource': ['resources/read', { uri: 'file:///a' }, ['resources/read file:///a']],
  'a subscription': ['resources/subscribe', { uri: 'a:b' }, ['resources/subscribe a:b', 'resources/read a:b']],
  'the end of a subscription': ['resources/unsubscribe', { uri: 'a:b' }, ['resources/unsubscribe a:b']],
  'a task': ['tasks/get', { taskId: 't1' }, ['tasks/get t1']],
  'a list': ['tools/list', {}, ['tools/list']],
  'completion for a prompt': [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'plain' } },
    ['completion/complete', 'prompts/get plain'],
  ],
  'completion for a resource': [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'a:{x}' } },
    ['completion/complete', 'resources/read a:{x}'],
  ],
  'a stream about resources': [
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['a:b', 'a:c'] } },
    ['subscriptions/listen', 'resources/read a:b', 'resources/read a:c'],
  ],
  'a stream about lists': ['subscriptions/listen', { notifications: { tools: true } }, ['subscriptions/listen']],
  'an unknown method': ['vendor/do', { name: 'x' }, ['vendor/do']],
};

t.test('every operation of a message is known', async (t) => {
  for (const [what, [method, params, expected]] of Object.entries(operations)) {
    const found = messageIn(request(method, params)).operations;
    t.strictSame(
      found.map(({ method, name }) => (name === undefined ? method : `${method} ${name}`)),
      expected,
      what,
    );
  }
});

t.test('the arguments and the revision are those of the message', async (t) => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', other: 1 };
  const message = messageIn(request('tools/call', { name: 'echo', arguments: { Name: 1, $ref: 2 }, _meta: meta }));
  t.equal(message.revision, '2026-07-28');
  t.strictSame(message.args(), { Name: 1, $ref: 2 });
  t.equal(messageIn(request('ping')).revision, undefined);
  t.strictSame(messageIn(request('ping')).args(), {});
});

const call = (params: object) => request('tools/call', params);
const listen = (notifications: unknown) => request('subscriptions/listen', { notifications } as object);
const complete = (ref: unknown) => request('completion/complete', { ref } as object);

/** The code of JSON-RPC, and the body. */
const faults: Readonly<Record<string, readonly [number, unknown]>> = {
  'a batch': [-32600, [request('ping')]],
  'an empty batch': [-32600, []],
  'a text': [-32600, '"ping"'],
  null: [-32600, 'null'],
  'no version of JSON-RPC': [-32600, { id: 1, method: 'ping' }],
  'JSON-RPC 1.0': [-32600, { ...request('ping'), jsonrpc: '1.0' }],
  'a version as a number': [-32600, { ...request('ping'), jsonrpc: 2 }],
  'an id of null': [-32600, { ...request('ping'), id: null }],
  'an id of true': [-32600, { ...request('ping'), id: true }],
  'an id as a list': [-32600, { ...request('ping'), id: [1] }],
  'no method': [-32600, { jsonrpc: '2.0', id: 1 }],
  'a method of null': [-32600, { ...request('ping'), method: null }],
  'a method as a list': [-32600, { ...request('ping'), method: ['tools/call'] }],
  'an empty method': [-32600, request('')],
  'a method with a line break': [-32600, request('ping\n')],
  'a method with a NUL': [-32600, request('ping\0')],
  'a method in another case': [-32600, request('Tools/Call', { name: 'echo' })],
  'a method with a blank': [-32600, request('tools/call ', { name: 'echo' })],
  'a list in another case': [-32600, request('tools/List')],
  'a very long method': [-32600, request('a'.repeat(9000))],
  'a request with a result': [-32600, { ...request('ping'), result: {} }],
  'an answer with a result and an error': [-32600, { jsonrpc: '2.0', id: 1, result: {}, error: {} }],
  'an answer without an id': [-32600, { jsonrpc: '2.0', result: {} }],
  'positional parameters': [-32600, request('tools/call', ['echo'])],
  'parameters as text': [-32600, { ...request('ping'), params: 'echo' }],
  'near names of the envelope': [-32600, { ...request('ping'), Method: 'tools/call' }],
  'near names of the parameters': [-32600, call({ name: 'echo', Name: 'drop_table' })],
  'inherited members': [-32600, '{"jsonrpc":"2.0","id":1,"result":{},"__proto__":{"method":"tools/call"}}'],
  'inherited parameters': [-32600, '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"name":"x"}}}'],
  'a reference to another object': [-32600, { ...request('ping'), params: { $ref: '1' } }],
  'near names of a reference': [-32602, complete({ type: 'ref/prompt', name: 'plain', Type: 'ref/resource' })],
  'near names of a filter': [-32602, listen({ ResourceSubscriptions: ['a:b'] })],
  'an inherited filter': [
    -32602,
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"__proto__":{}}}}',
  ],
  'a near name of the revision': [
    -32602,
    request('ping', { _meta: { 'io.modelcontextprotocol/ProtocolVersion': '2025-11-25' } }),
  ],
  'a revision as a number': [-32602, request('ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': 1 } })],
  'a _meta that is no object': [-32602, request('ping', { _meta: [] })],
  'a tool without a name': [-32602, call({})],
  'a name as a number': [-32602, call({ name: 1 })],
  'a name of null': [-32602, call({ name: null })],
  'a name that the method does not use, as a list': [-32602, request('ping', { name: ['echo'] })],
  'an empty name': [-32602, call({ name: '' })],
  'a name with a NUL': [-32602, call({ name: 'echo\0' })],
  'a name with a line separator': [-32602, call({ name: 'echo\u2028' })],
  'a very long name': [-32602, call({ name: 'a'.repeat(9000) })],
  'arguments as a list': [-32602, call({ name: 'echo', arguments: ['acme'] })],
  'a resource by name': [-32602, request('resources/read', { name: 'file:///a' })],
  'no reference': [-32602, complete(undefined)],
  'a reference of another type': [-32602, complete({ type: 'ref/tool', name: 'drop_table' })],
  'a type in another case': [-32602, complete({ type: 'REF/RESOURCE', uri: 'file:///etc/passwd', name: 'plain' })],
  'a prompt with a URI': [-32602, complete({ type: 'ref/prompt', name: 'plain', uri: 'file:///etc/passwd' })],
  'a resource with a name': [-32602, complete({ type: 'ref/resource', uri: 'a:b', name: 'secret' })],
  'a filter that is no object': [-32602, listen(['a:b'])],
  'resources that are no list': [-32602, listen({ resourceSubscriptions: 'a:b' })],
  'a resource that is no text': [-32602, listen({ resourceSubscriptions: [1] })],
  'very many resources': [-32602, listen({ resourceSubscriptions: Array(1025).fill('a:b') })],
  'no JSON': [-32700, '{'],
  'a name twice': [-32700, '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}'],
};

t.test('a body that some reader could understand in another way is a fault', async (t) => {
  for (const [what, [error, body]] of Object.entries(faults)) t.equal(faultIn(body).error, error, what);
});

t.test('a fault repeats the id, if the message has one', async (t) => {
  t.equal(faultIn({ ...request('tools/call', {}), id: 'a' }).id, 'a');
  t.equal(faultIn({ ...request(''), id: 5 }).id, 5);
  t.equal(faultIn('{').id, undefined);
  t.equal(faultIn([request('ping')]).id, undefined);
});

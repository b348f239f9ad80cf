import fc from '../properties.ts';

/** A request of a client: its headers, and the bytes of its body. */
export interface Pair {
  /** Name, value, … */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A JSON value whose object may contain a name twice. */
type Node = { readonly text: string } | { readonly members: readonly Member[] };
type Member = readonly [quotedName: string, value: Node];

const REVISION = 'io.modelcontextprotocol/protocolVersion';

const text = (value: unknown): Node => ({ text: JSON.stringify(value) });
const object = (members: Readonly<Record<string, Node>>): Node & { members: readonly Member[] } => ({
  members: Object.entries(members).map(([name, value]) => [JSON.stringify(name), value]),
});

function write(node: Node): string {
  if ('text' in node) return node.text;
  return `{${node.members.map(([name, value]) => `${name}: ${write(value)}`).join(', ')}}`;
}

const names = fc.oneof(
  fc.constantFrom(
    'echo',
    'drop_table',
    'name',
    'a b',
    '=?base64?ZWNobw==?=',
    '=?BASE64?ZWNobw==?=',
    'ech\u00f6',
    '\ufeffecho',
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const uris = fc.oneof(
  fc.constantFrom('file:///srv/a', 'file:///srv/../etc/passwd', 'docs://team/plan', 'urn:a:b', 'FILE:///x', 'a b'),
  fc.webUrl(),
);

/** The parts of a message before it is written, and what its headers repeat. */
interface Shape {
  readonly method: string | undefined;
  readonly name: string | undefined;
  readonly params: Readonly<Record<string, Node>> | undefined;
}

const named = (method: string, member: string, from: fc.Arbitrary<string>): fc.Arbitrary<Shape> =>
  from.map((name) => ({ method, name, params: { [member]: text(name) } }));

const shapes: fc.Arbitrary<Shape> = fc.oneof(
  named('tools/call', 'name', names),
  names.map((name) => ({
    method: 'tools/call',
    name,
    params: { name: text(name), arguments: object({ name: text('drop_table'), count: { text: '1e400' } }) },
  })),
  named('prompts/get', 'name', names),
  named('resources/read', 'uri', uris),
  named('resources/subscribe', 'uri', uris),
  named('tasks/get', 'taskId', names),
  fc.constantFrom('ping', 'tools/list', 'initialize', 'notifications/initialized', 'vendor/do').map((method) => ({
    method,
    name: undefined,
    params: undefined,
  })),
  names.map((name) => ({
    method: 'completion/complete',
    name: undefined,
    params: { ref: object({ type: text('ref/prompt'), name: text(name) }) },
  })),
  uris.map((uri) => ({
    method: 'completion/complete',
    name: undefined,
    params: { ref: object({ type: text('ref/resource'), uri: text(uri) }) },
  })),
  fc.array(uris, { maxLength: 3 }).map((all) => ({
    method: 'subscriptions/listen',
    name: undefined,
    params: { notifications: object({ resourceSubscriptions: text(all) }) },
  })),
  fc.constant({ method: undefined, name: undefined, params: undefined }),
);

const versions = fc.constantFrom('2026-07-28', '2026-07-28', '2025-11-25', '2099-01-01', undefined);
const ids = fc.constantFrom(
  '1',
  '"a"',
  '-0',
  '1.5',
  '9007199254740993',
  '1e400',
  `1${'0'.repeat(400)}`,
  'null',
  'true',
  undefined,
);

interface Told extends Shape {
  readonly version: string | undefined;
  readonly id: string | undefined;
  readonly message: Node & { members: readonly Member[] };
}

const messages: fc.Arbitrary<Told> = fc
  .record({
    shape: shapes,
    version: versions,
    id: fc.oneof({ weight: 8, arbitrary: fc.constant('7') }, { weight: 2, arbitrary: ids }),
  })
  .map(({ shape, version, id }) => ({ ...shape, version, id, message: messageOf(shape, version, id) }));

function messageOf({ method, params }: Shape, version: string | undefined, id: string | undefined): Told['message'] {
  const meta = version === undefined ? {} : { _meta: object({ [REVISION]: text(version) }) };
  const all = { ...params, ...meta };
  return object({
    jsonrpc: text('2.0'),
    ...(id !== undefined && { id: { text: id } }),
    ...(method === undefined ? { result: object({}) } : { method: text(method) }),
    ...(Object.keys(all).length > 0 && method !== undefined && { params: object(all) }),
  });
}

/** Names that some reader takes for the original one. */
const nearNames: readonly ((name: string) => string)[] = [
  (name) => JSON.stringify(name),
  (name) => `"\\u00${name.charCodeAt(0).toString(16).padStart(2, '0')}${name.slice(1)}"`,
  (name) => JSON.stringify(name.toUpperCase()),
  (name) => JSON.stringify(name.slice(0, 1).toUpperCase() + name.slice(1)),
  (name) => JSON.stringify(name.replaceAll('s', '\u017f')),
  (name) => JSON.stringify(name.replaceAll('k', '\u212a').replaceAll('K', '\u212a')),
  (name) => JSON.stringify(name.replaceAll('i', '\u0130')),
  (name) => JSON.stringify(name.replaceAll('i', '\u0131')),
  (name) => JSON.stringify(`${name}\0`),
  (name) => JSON.stringify(` ${name}`),
  () => '"__proto__"',
  () => '"other"',
];

const hostile: fc.Arbitrary<Node> = fc.constantFrom<Node>(
  text('drop_table'),
  text('tools/call'),
  text('file:///etc/passwd'),
  object({ name: text('drop_table'), uri: text('file:///etc/passwd') }),
  { text: 'null' },
  { text: '"\\ud800"' },
  { text: '"\\ud83d\\ude00"' },
  { text: '1e400' },
  { text: 'NaN' },
  { text: '-Infinity' },
  { text: `${'['.repeat(70)}${']'.repeat(70)}` },
  { text: `${'['.repeat(40)}${']'.repeat(40)}` },
  { text: '[]' },
);

interface Addition {
  readonly seed: number;
  readonly near: (name: string) => string;
  readonly value: Node | undefined;
  readonly isFirst: boolean;
}

const additions: fc.Arbitrary<Addition> = fc.record({
  seed: fc.nat(),
  near: fc.constantFrom(...nearNames),
  value: fc.option(hostile, { nil: undefined }),
  isFirst: fc.boolean(),
});

/** Adds a member like one of the object's own, somewhere in the message. Undefined `value`: that of the own one. */
function added(node: Node, { seed, near, value, isFirst }: Addition): Node {
  if ('text' in node || node.members.length === 0) return node;
  const at = seed % node.members.length;
  const [name, own] = node.members[at] as Member;
  const rest = Math.floor(seed / node.members.length);
  if ('members' in own && rest % 3 > 0) {
    const inner: Member = [name, added(own, { seed: Math.floor(rest / 3), near, value, isFirst })];
    return { members: node.members.toSpliced(at, 1, inner) };
  }
  const extra: Member = [near(JSON.parse(name)), value ?? own];
  return { members: isFirst ? [extra, ...node.members] : [...node.members, extra] };
}

type Bytes = (text: string) => Buffer;

const plain: Bytes = (written) => Buffer.from(written);
const damages: readonly Bytes[] = [
  (written) => Buffer.from(`[${written}]`),
  (written) => Buffer.from(`${written} {}`),
  (written) => Buffer.from(`${written}\0`),
  (written) => Buffer.from(`\ufeff${written}`),
  (written) => Buffer.from(`${written}//`),
  (written) => Buffer.from(written.slice(0, -1)),
  (written) => Buffer.from(written, 'latin1'),
  (written) => Buffer.from(written, 'utf16le'),
  (written) => Buffer.from(written.replace('"2.0"', '"2.0", "a": "\u00e9"'), 'latin1'),
  (written) => Buffer.from(written.replace('": "', '": "\u00ff'), 'latin1'),
  (written) => Buffer.from(written.replaceAll('"', "'")),
  (written) => Buffer.from(written.replace('}', ',}')),
  (written) => Buffer.from(written.replaceAll(' ', '\u00a0')),
  (written) => Buffer.from(written.replaceAll(' ', '\n\t\r')),
];

type Change = (headers: readonly string[]) => readonly string[];

const replaced =
  (name: string, value: string): Change =>
  (headers) =>
    headers.map((word, at) => (at % 2 === 1 && headers[at - 1] === name ? value : word));
const without =
  (name: string): Change =>
  (headers) =>
    headers.filter((_, at) => headers[at - (at % 2)] !== name);
const doubled =
  (name: string, value: string): Change =>
  (headers) => [...headers, name, value];

const headerChanges: readonly Change[] = [
  replaced('Mcp-Name', 'drop_table'),
  replaced('Mcp-Name', '=?base64?ZHJvcF90YWJsZQ==?='),
  replaced('Mcp-Name', 'ECHO'),
  replaced('Mcp-Method', 'ping'),
  replaced('Mcp-Method', 'Tools/Call'),
  replaced('MCP-Protocol-Version', '2025-11-25'),
  replaced('MCP-Protocol-Version', '2026-07-28'),
  without('Mcp-Name'),
  without('Mcp-Method'),
  without('MCP-Protocol-Version'),
  doubled('Mcp-Name', 'drop_table'),
  doubled('Mcp_Name', 'drop_table'),
  doubled('Mcp-Method', 'tools/call'),
  doubled('mcp.method', 'tools/call'),
  doubled('Connection', 'mcp-name'),
];

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** As a client writes it. */
function encoded(value: string): string {
  if (PLAIN.test(value) && !/^=\?base64\?/i.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function headersOf({ method, name, version }: Told): readonly string[] {
  return [
    ...(version === undefined ? [] : ['MCP-Protocol-Version', version]),
    ...(method === undefined ? [] : ['Mcp-Method', method]),
    ...(name === undefined ? [] : ['Mcp-Name', encoded(name)]),
  ];
}

const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>, weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

/** Valid messages and hostile ones, with headers that agree or not. */
export const messagePairs: fc.Arbitrary<Pair> = fc
  .record({
    told: messages,
    addition: sometimes(additions, 5),
    bytes: sometimes(fc.constantFrom(...damages), 2),
    change: sometimes(fc.constantFrom(...headerChanges), 3),
  })
  .map(({ told, addition, bytes = plain, change = (headers) => headers }) => ({
    headers: change(headersOf(told)),
    body: bytes(write(addition === undefined ? told.message : added(told.message, addition))),
  }));

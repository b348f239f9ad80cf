import { ReadObject } from '../../base/read-object.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { listMethods } from './list-methods.ts';
import { type NamedMethod, namedMethods } from './named-methods.ts';
import { isNearText, nearName } from './near-names.ts';

/** The parts of a client's message that decide something. */
export interface McpMessage {
  readonly kind: 'request' | 'notification' | 'response';
  /** The id of a request. Undefined: there is none, or one that a number of JavaScript cannot repeat. */
  readonly id: string | number | undefined;
  /** Empty for a response. */
  readonly method: string;
  /** Everything that it does. The first is its own method, and every one must be permitted. */
  readonly operations: readonly McpOperation[];
  /** `_meta` of revisions since 2026-07-28. */
  readonly revision: string | undefined;
  /** The arguments of a tool. Only those of a tool with annotations are read. */
  readonly args: () => JsonObject;
}

/** A method, and the tool, prompt or resource that it is about. */
export interface McpOperation {
  readonly method: string;
  /** Undefined: the method is about none. */
  readonly name: string | undefined;
}

/** The body is not a message, or another reader could find another message in it. */
export interface MessageFault {
  readonly kind: 'fault';
  /** JSON-RPC 2.0, section 5.1. */
  readonly error: -32700 | -32600 | -32602;
  readonly detail: string;
  readonly id?: McpMessage['id'];
}

const REVISION = 'io.modelcontextprotocol/protocolVersion';

const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const PARAMS: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'arguments', 'ref', 'notifications', '_meta']);
/** In every message, a typed reader rejects a value that is not text here. */
const TEXTS = ['name', 'uri', 'taskId'] as const;
const META: ReadonlySet<string> = new Set([REVISION]);
const REF: ReadonlySet<string> = new Set(['type', 'name', 'uri']);
const FILTER: ReadonlySet<string> = new Set(['resourceSubscriptions']);

/** The methods that the gateway reads further than the method itself, or whose answers it reads. */
const METHODS: ReadonlySet<string> = new Set([
  ...namedMethods.keys(),
  ...listMethods,
  'completion/complete',
  'subscriptions/listen',
]);

/** Characters of a name. A longer one fits into no header, and takes much time to read in every way. */
const LONGEST_NAME = 8192;
/** Resources of one message, and characters of all their names. A caller without a valid token causes this search, too. */
const MOST_RESOURCES = 1024;
const MOST_CHARACTERS = 64 * 1024;

const NOTHING: JsonObject = {};
const noArguments = () => NOTHING;
const NO_MEMBERS = new ReadObject(Buffer.from('{}'), { kind: 'object', start: 0, end: 2, names: [], values: [] });

/** Reads one message. Every reader behind the gateway finds the same method and names in it. */
export function readMessage(body: Buffer): McpMessage | MessageFault {
  const json = readStrictJson(body);
  if (json.kind === 'fault') return fault(-32700, `the body cannot be read: ${json.detail}`);
  if (json.isArray) return fault(-32600, 'the body is a batch, but a request must have one message');
  const message = json.object;
  if (message === undefined) return fault(-32600, 'the body is not a JSON-RPC message');
  const told = message.get('id');
  const id = idOf(message, told);
  const found = near(message, ENVELOPE) ?? envelopeFault(message, told);
  if (found !== undefined) return fault(-32600, found, id);
  const method = message.get('method');
  if (method === undefined) return answering(message, id);
  return typeof method === 'string' ? calling(message, method, id) : fault(-32600, '`method` is not text', id);
}

function fault(error: MessageFault['error'], detail: string, id?: McpMessage['id']): MessageFault {
  return { kind: 'fault', error, detail, id };
}

/** The id of an answer is an id of the server, and the client may wait for an answer to its own request with this id. */
function idOf(message: ReadObject, id: unknown): McpMessage['id'] {
  if (message.has('result') || message.has('error')) return undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

function near({ names }: ReadObject, ours: ReadonlySet<string>): string | undefined {
  if (nearName(names, ours) !== undefined)
    return 'some JSON parsers read a name in the message as a different name that the protocol defines';
  // Json.NET and System.Text.Json can replace an object with `$ref` by an earlier one with `$id`.
  return names.some((name) => name.startsWith('$')) ? 'a name in the message begins with `$`' : undefined;
}

/** `id`: undefined if there is none. JSON has no such value. */
function envelopeFault(message: ReadObject, id: unknown): string | undefined {
  if (message.get('jsonrpc') !== '2.0') return '`jsonrpc` is not "2.0"';
  if (id === undefined) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? undefined : '`id` is neither text nor a number';
}

/** The client's answer to a request of the server, in revisions before 2026-07-28. */
function answering(message: ReadObject, id: McpMessage['id']): McpMessage | MessageFault {
  const parts = ['result', 'error'].filter((name) => message.has(name));
  if (parts.length !== 1 || !message.has('id')) return fault(-32600, 'there is no `method`', id);
  return {
    kind: 'response',
    id: undefined,
    method: '',
    operations: [{ method: '', name: undefined }],
    revision: undefined,
    args: noArguments,
  };
}

function calling(message: ReadObject, method: string, id: McpMessage['id']): McpMessage | MessageFault {
  if (message.has('result') || message.has('error'))
    return fault(-32600, 'the message is both a request and an answer', id);
  if (!isPlain(method)) return fault(-32600, '`method` is empty, too long, or contains a control character', id);
  if (isNearText(method, METHODS))
    return fault(-32600, '`method` differs only in case or blanks from a known method', id);
  const params = message.get('params') ?? NO_MEMBERS;
  if (!(params instanceof ReadObject)) return fault(-32600, '`params` is not an object', id);
  const found = near(params, PARAMS);
  if (found !== undefined) return fault(-32600, found, id);
  const wrong = TEXTS.find((name) => !isTextOrAbsent(params.get(name)));
  if (wrong !== undefined) return fault(-32602, `\`params.${wrong}\` is not text`, id);
  return named(method, params, { kind: message.has('id') ? 'request' : 'notification', id });
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function named(method: string, params: ReadObject, about: Pick<McpMessage, 'kind' | 'id'>): McpMessage | MessageFault {
  const operations = operationsIn(method, params);
  if (typeof operations === 'string') return fault(-32602, operations, about.id);
  if (!operations.every(({ name }) => name === undefined || isPlain(name)))
    return fault(
      -32602,
      'a name, URI or task id in `params` is empty, too long, or contains a control character',
      about.id,
    );
  const meta = revisionIn(params);
  if (typeof meta !== 'object') return fault(-32602, meta, about.id);
  const args = params.get('arguments') ?? NO_MEMBERS;
  if (!(args instanceof ReadObject)) return fault(-32602, '`params.arguments` is not an object', about.id);
  return { ...about, method, operations, revision: meta.revision, args: () => args.value };
}

/** A C string ends at NUL, and a log ends at a line break. */
function isPlain(text: string): boolean {
  return text !== '' && text.length <= LONGEST_NAME && !CONTROL.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Text: why the operations cannot be read. */
function operationsIn(method: string, params: ReadObject): readonly McpOperation[] | string {
  const row = namedMethods.get(method);
  if (row !== undefined) return about(method, params, row);
  if (method === 'completion/complete') return completed(method, params);
  return method === 'subscriptions/listen' ? listenedTo(method, params) : [{ method, name: undefined }];
}

/** A method that later revisions removed passes without a name, and the server says that it is gone. */
function about(method: string, params: ReadObject, row: NamedMethod): readonly McpOperation[] | string {
  const { member, isMirrored, also = [] } = row;
  const name = params.get(member);
  const isMissing = name === undefined && !isMirrored;
  if (!isMissing && typeof name !== 'string') return `\`params.${member}\` of ${method} is not text`;
  return [method, ...also].map((each) => ({ method: each, name: name as string | undefined }));
}

const refs = [
  { type: 'ref/prompt', method: 'prompts/get', member: 'name', foreign: 'uri' },
  { type: 'ref/resource', method: 'resources/read', member: 'uri', foreign: 'name' },
] as const;

/** Completions show values of a prompt or resource, so they need the same access. */
function completed(method: string, params: ReadObject): readonly McpOperation[] | string {
  const ref = params.get('ref');
  if (!(ref instanceof ReadObject)) return '`params.ref` is not an object';
  const found = near(ref, REF);
  if (found !== undefined) return found;
  const kind = refs.find(({ type }) => type === ref.get('type'));
  if (kind === undefined) return '`params.ref.type` is neither ref/prompt nor ref/resource';
  if (ref.has(kind.foreign)) return `\`params.ref\` has a \`${kind.foreign}\`, which its type does not use`;
  const name = ref.get(kind.member);
  if (typeof name !== 'string') return 'the name in `params.ref` is not text';
  return [
    { method, name: undefined },
    { method: kind.method, name },
  ];
}

/** The stream announces changes of these resources, so they need the access of a read. */
function listenedTo(method: string, params: ReadObject): readonly McpOperation[] | string {
  const filter = params.get('notifications') ?? NO_MEMBERS;
  if (!(filter instanceof ReadObject)) return '`params.notifications` is not an object';
  const found = near(filter, FILTER);
  if (found !== undefined) return found;
  const uris = filter.get('resourceSubscriptions') ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
    return '`resourceSubscriptions` is not a list of strings';
  if (uris.length > MOST_RESOURCES) return `\`resourceSubscriptions\` has more than ${MOST_RESOURCES} entries`;
  if (uris.reduce((sum, uri) => sum + uri.length, 0) > MOST_CHARACTERS)
    return `\`resourceSubscriptions\` has more than ${MOST_CHARACTERS} characters`;
  return [{ method, name: undefined }, ...uris.map((name) => ({ method: 'resources/read', name }))];
}

/** Text: why the revision cannot be read. */
function revisionIn(params: ReadObject): { readonly revision: string | undefined } | string {
  const meta = params.get('_meta') ?? NO_MEMBERS;
  if (!(meta instanceof ReadObject)) return '`params._meta` is not an object';
  const found = near(meta, META);
  if (found !== undefined) return found;
  const revision = meta.get(REVISION);
  if (revision !== undefined && typeof revision !== 'string') return 'the protocol version in `_meta` is not text';
  return { revision };
}

import { type Call, NO_CALL } from '../mcp/call.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import { type McpMessage, type McpOperation, type MessageFault, readMessage } from '../mcp/message.ts';
import { mirror, versionOf } from '../mcp/mirror.ts';
import { WITHOUT_HEADER } from '../mcp/revisions.ts';
import type { McpRule } from '../mcp/rules.ts';
import type { Code } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';
import { bothScopes } from '../message/scope-conjunction.ts';
import { headerReader } from '../routing/lenient-fields.ts';
import { connectionNames } from './framing.ts';
import { refuse } from './outcome.ts';
import type { Route } from './route.ts';
import type { Routed } from './routed.ts';

/**
 * The request with what its message asks for. Its route then has the requirements of the operation. A refusal of the
 * message is kept for later: the gateway judges the credentials first, and tells a stranger nothing else.
 */
export function withCall(routed: Routed, entity: Buffer | undefined): Routed {
  const { head, route } = routed;
  const { mcp } = route;
  if (mcp === undefined) return routed;
  if (head.method !== 'POST') return head.hasBody ? broken(routed, WRONG_METHOD) : routed;
  if (entity !== undefined) return judge(routed, mcp, entity);
  // In shadow mode, a body that cannot be held stays unread. A request without credentials is refused for that.
  if (head.hasBody) return routed;
  return broken(routed, { kind: 'fault', error: -32700, detail: 'the request has no body' });
}

/** Some servers read a body whatever the method is. */
const WRONG_METHOD: MessageFault = {
  kind: 'fault',
  error: -32600,
  detail: 'on a route with `mcp`, only a POST request may have a body',
};

function judge(routed: Routed, mcp: McpRoute<Route>, entity: Buffer): Routed {
  if (!isJson(routed.head)) return refused(routed, NO_CALL, 'mcp_media_type');
  const message = readMessage(entity);
  if (message.kind === 'fault') return broken(routed, message);
  const tool = message.method === 'tools/call' ? mcp.tools.get(message.operations[0]?.name ?? '') : undefined;
  const call = { ...NO_CALL, id: message.id, message, tool };
  return versioned(routed, mcp, call, message) ?? mirrored(routed, mcp, call, message);
}

function broken(routed: Routed, { detail, id, error }: MessageFault): Routed {
  return refused(routed, { ...NO_CALL, id, error }, 'mcp_message_invalid', detail);
}

function refused(routed: Routed, call: Call, code: Code, detail?: string): Routed {
  return { ...routed, call, callRefusal: refuse(code, { route: routed.route, detail }) };
}

/** A server reads the bytes in the coding and the character set that the head names, perhaps in another spelling. */
function isJson(head: RequestHead): boolean {
  if (readCoding(head).lenient.length > 0) return false;
  const { lenient } = readType(head);
  return head.contentType !== undefined && lenient.length === 1 && isJsonType(head.contentType.value);
}

const readType = headerReader('content-type');
const readCoding = headerReader('content-encoding');

/** Nearly all clients send it so. */
const USUAL = 'application/json';

function isJsonType(value: string): boolean {
  return value === USUAL || JSON_TYPE.test(value);
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:"utf-8"|utf-8)[ \t]*)?$/i;

/**
 * Undefined: the route accepts the revision. `initialize` may come without the header: it names its revision in the
 * body, and the server judges it.
 */
function versioned(routed: Routed, { versions }: McpRoute<Route>, call: Call, message: McpMessage): Routed | undefined {
  if (versions === undefined) return undefined;
  const version = versionOf(routed.head);
  if (typeof version === 'object') return refused(routed, call, 'mcp_header_mismatch', version.detail);
  if (version === undefined && message.method === 'initialize') return undefined;
  const named = version ?? message.revision ?? WITHOUT_HEADER;
  return versions.includes(named) ? undefined : refused(routed, call, 'mcp_version_unsupported', named);
}

function mirrored(routed: Routed, mcp: McpRoute<Route>, call: Call, message: McpMessage): Routed {
  // The upstream would not get such a header, so it would get no value that was compared.
  if (
    connectionNames(routed.head)
      ?.values()
      .some((name) => name.startsWith('mcp-'))
  )
    return refused(routed, call, 'mcp_header_mismatch', 'Connection names a header that begins with `Mcp-`');
  const found = mirror(routed.head, message, call.tool?.params ?? [], mcp.mirror);
  if (found.kind === 'mismatch') return refused(routed, call, 'mcp_header_mismatch', found.detail);
  return ruled(routed, mcp, { ...call, added: found.added }, message.operations);
}

function ruled(routed: Routed, mcp: McpRoute<Route>, call: Call, operations: readonly McpOperation[]): Routed {
  const found: McpRule<Route>[] = [];
  for (const operation of operations) {
    const denied = mcp.denied.find(operation);
    const match = mcp.rules.find(operation);
    if (denied.kind === 'unclear' || match.kind === 'unclear') return refused(routed, call, 'mcp_name_unclear');
    if (denied.kind === 'rule') return refused(routed, { ...call, rule: denied.rule.text }, 'mcp_operation_denied');
    if (match.kind === 'rule' && !found.includes(match.rule)) found.push(match.rule);
  }
  if (found.length <= MOST_RULES) return underRules(routed, call, found);
  return refused(routed, { ...call, error: -32602 }, 'mcp_message_invalid', TOO_MANY_RULES);
}

/** Rules with alternatives multiply. */
const MOST_RULES = 8;
const TOO_MANY_RULES = `more than ${MOST_RULES} rules of the route apply to the message: send several messages with fewer resources each`;

function underRules(routed: Routed, call: Call, found: readonly McpRule<Route>[]): Routed {
  if (found.length === 0) return { ...routed, call };
  const route = found.map(({ value }) => value).reduce(bothRoutes);
  return { ...routed, route, call: { ...call, rule: found.map(({ text }) => text).join(', ') } };
}

/** A challenge names all scopes of the message at once. */
function bothRoutes(one: Route, other: Route): Route {
  const scope = bothScopes(one.requirements.scope, other.requirements.scope);
  return { ...one, requirements: { ...one.requirements, scope } };
}

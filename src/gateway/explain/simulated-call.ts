import type { Route } from '../decide/route.ts';
import { encodeValue } from '../mcp/header-value.ts';
import type { McpOperation } from '../mcp/message.ts';
import { namedMethods } from '../mcp/named-methods.ts';
import { isMirrored } from '../mcp/revisions.ts';
import type { SimulatedRequest } from './simulated-request.ts';

const NEWEST = '2026-07-28';

/** The request with the message of its operation, as a client of the newest accepted revision sends it. */
export function withMessage(asked: SimulatedRequest, { mcp }: Route): { request: SimulatedRequest; body: Buffer } {
  const operation = operationOf(asked.operation ?? '');
  const revision = [...(mcp?.versions ?? [NEWEST])].sort().at(-1) as string;
  const body = Buffer.from(JSON.stringify(messageOf(operation, revision)));
  const own = asked.headers ?? [];
  const given = new Set(own.map(([name]) => name.toLowerCase()));
  const headers = headersOf(operation, revision, body).filter(([name]) => !given.has(name.toLowerCase()));
  return { request: { ...asked, headers: [...own, ...headers] }, body };
}

/** The words of a key of `mcp.scope`: a method, or a method and a name. */
export function operationOf(text: string): McpOperation {
  const at = text.indexOf(' ');
  return at === -1 ? { method: text, name: undefined } : { method: text.slice(0, at), name: text.slice(at + 1) };
}

function messageOf({ method, name }: McpOperation, revision: string): object {
  const member = namedMethods.get(method)?.member ?? 'name';
  const meta = isMirrored(revision) && { _meta: { 'io.modelcontextprotocol/protocolVersion': revision } };
  return { jsonrpc: '2.0', id: 1, method, params: { ...(name !== undefined && { [member]: name }), ...meta } };
}

function headersOf(
  { method, name }: McpOperation,
  revision: string,
  body: Buffer,
): readonly (readonly [name: string, value: string])[] {
  const isNamed = name !== undefined && namedMethods.get(method)?.isMirrored === true;
  const mirrors: readonly (readonly [string, string])[] = [
    ['Mcp-Method', method],
    ...(isNamed ? [['Mcp-Name', encodeValue(name)] as const] : []),
  ];
  return [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
    ['MCP-Protocol-Version', revision],
    ...(isMirrored(revision) ? mirrors : []),
  ];
}

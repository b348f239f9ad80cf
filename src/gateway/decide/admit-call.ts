import { decodeValue } from '../mcp/header-value.ts';
import { listMethods } from '../mcp/list-methods.ts';
import type { McpRoute, ParamClaim } from '../mcp/mcp-route.ts';
import type { SealedId } from '../mcp/session-seal.ts';
import { argumentAt, isPrimitive } from '../mcp/tool-params.ts';
import { claimAt } from '../message/claim-path.ts';
import type { Identity } from '../message/identity.ts';
import { listNames, type RequestHead } from '../message/request-head.ts';
import { headerReader } from '../routing/lenient-fields.ts';
import { type CallPlan, type Refuse, refuse } from './outcome.ts';
import type { Route } from './route.ts';
import type { Routed } from './routed.ts';

/** What the upstream of an `mcp` route gets, once the caller may use the operation. */
export function admitCall(routed: Routed, mcp: McpRoute<Route>, identity: Identity | undefined): CallPlan | Refuse {
  const { head, route, call, callRefusal } = routed;
  if (callRefusal !== undefined) return { ...callRefusal, identity };
  // Only shadow mode gets here without the message: it holds no body of unknown length.
  if (head.method === 'POST' && call === undefined)
    return refuse('mcp_message_invalid', { route, identity, detail: 'the gateway did not read the message' });
  // A server could offer the protocol in a WebSocket too, where the gateway does not read the messages.
  if (head.method === 'GET' && listNames(head.upgrade, 'websocket'))
    return refuse('mcp_message_invalid', { route, identity, detail: 'a route with `mcp` accepts no WebSocket' });
  const owner = mcp.sessions ? ownerOf(identity, head) : '';
  const ids = idsFor(routed, mcp, owner);
  if (ids.kind === 'refuse') return { ...ids, identity };
  const foreign = foreignParam(routed, mcp.claims, identity);
  if (foreign !== undefined) return { ...foreign, identity };
  return { kind: 'call', owner, call, replaced: ids.replaced, reads: readsAnswer(routed, mcp) };
}

/** A session belongs to one user of one client. An introspection answer may name neither (RFC 7662 §2.2). */
function ownerOf(identity: Identity | undefined, head: RequestHead): string {
  if (identity === undefined) return '';
  const { scheme, issuer, subject, clientId } = identity;
  const named = [scheme, issuer, subject ?? null, clientId ?? null];
  const isNamed = subject !== undefined || clientId !== undefined;
  return JSON.stringify(isNamed ? named : [...named, head.authorization?.value]);
}

const ids: readonly {
  readonly kind: SealedId;
  readonly name: string;
  readonly read: ReturnType<typeof headerReader>;
}[] = [
  { kind: 'session', name: 'mcp-session-id', read: headerReader('mcp-session-id') },
  { kind: 'event', name: 'last-event-id', read: headerReader('last-event-id') },
];

type Replaced = CallPlan['replaced'];
type Ids = { readonly kind: 'ids'; readonly replaced: Replaced };

const UNCHANGED: Replaced = new Map();

/** The upstream gets its own ids, and only from the caller that they were issued to. */
function idsFor({ head, route }: Routed, { sessions, seal }: McpRoute<Route>, owner: string): Ids | Refuse {
  let replaced = UNCHANGED;
  for (const { kind, name, read } of ids) {
    const { values, lenient } = read(head);
    if (lenient.length === 0) continue;
    const [value] = values;
    if (lenient.length !== 1 || value === undefined || value !== lenient[0])
      return refuse('mcp_header_mismatch', { route, detail: `${name} occurs twice, or in another spelling` });
    const own = sessions ? seal.open(kind, owner, textOf(kind, value)) : undefined;
    // In shadow mode, the gateway seals no id, so it cannot judge one either.
    if (sessions && own === undefined && !route.shadow) return refuse('mcp_session_unknown', { route });
    replaced = new Map([...replaced, [name, own === undefined ? undefined : fieldOf(kind, own)]]);
  }
  return { kind: 'ids', replaced };
}

/** An id of an event comes from a text in UTF-8, and clients send it back in UTF-8 (HTML standard, Last-Event-ID). */
function textOf(kind: SealedId, value: string): string {
  return kind === 'event' ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

function fieldOf(kind: SealedId, id: string): string {
  return kind === 'event' ? Buffer.from(id, 'utf8').toString('latin1') : id;
}

/** Undefined: each header equals its claim, and so does the argument that the header repeats. */
function foreignParam(
  routed: Routed,
  claims: readonly ParamClaim[],
  identity: Identity | undefined,
): Refuse | undefined {
  for (const claim of claims) {
    const refusal = judgeParam(routed, claim, identity);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function judgeParam({ head, route, call }: Routed, { header, claim }: ParamClaim, identity: Identity | undefined) {
  const wanted = identity === undefined ? undefined : claimAt(identity.claims, claim);
  const isForeign = (value: unknown) => !isPrimitive(value) || !isPrimitive(wanted) || String(value) !== String(wanted);
  const told = valueIn(head, header);
  const fail = () => refuse('condition_failed', { route, detail: 'claims_to_params' });
  if (told !== undefined && isForeign(told)) return fail();
  if (call?.message?.method !== 'tools/call') return undefined;
  // The client then lists the tools, and the gateway learns the schema (Streamable HTTP, SHOULD list the tools again).
  if (call.tool === undefined)
    return refuse('mcp_header_mismatch', { route, detail: 'the gateway has not seen this tool in a list yet' });
  const args = call.message.args();
  const params = call.tool.params.filter((one) => one.header === header);
  return params.some(({ path }) => isForeign(argumentAt(args, path))) ? fail() : undefined;
}

/** The gateway has compared a header of a known tool with the body. Another spelling counts as a value, too. */
function valueIn(head: RequestHead, header: string): string | undefined {
  const { lenient } = headerReader(header)(head);
  if (lenient.length === 0) return undefined;
  return lenient.length === 1 ? decodeValue(lenient[0] as string) : '\0';
}

/**
 * - `list`: the answer is a list to filter or to learn from.
 * - `stream`: an event stream whose ids must be sealed, and which may repeat a list.
 * - `head`: only the header section, because the id of a session must be sealed.
 * - `nothing`: the answer passes, without the id of a session.
 */
function readsAnswer({ head, call }: Routed, mcp: McpRoute<Route>): CallPlan['reads'] {
  const isList = listMethods.has(call?.message?.method ?? '') && (mcp.filtersLists || mcp.mirror !== 'off');
  if (isList) return 'list';
  if (!mcp.sessions) return 'nothing';
  return head.method === 'GET' || head.method === 'POST' ? 'stream' : 'head';
}

import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../client/exchange.ts';
import { RequestBody } from '../client/request-body.ts';
import type { SentLines } from '../client/sent-lines.ts';
import type { CallPlan, Forward } from '../decide/outcome.ts';
import { Lines } from '../message/lines.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { shadowFields } from './shadow-fields.ts';
import { addedFields, isHandedOn, ownFields, receivedFields, type Sender, upstreamFields } from './upstream-fields.ts';

export type SentBody = RequestBody | Buffer | null;

/** Gets the upstream's 101, its header lines, and the connection, which is now a tunnel. */
export type OnUpgrade = (raw: RawFields, socket: Duplex, plan: Forward) => void;

/** Everything that goes to the upstream with the head. */
export interface DispatchedMessage {
  readonly body: SentBody;
  /** The body, if the client still sends it while we forward it. */
  readonly upload: RequestBody | undefined;
  /** Undefined: the request is not a handshake. */
  readonly onUpgrade: OnUpgrade | undefined;
}

export function sentOf(body: SentBody, onUpgrade: OnUpgrade | undefined): DispatchedMessage {
  return { body, upload: body instanceof RequestBody ? body : undefined, onUpgrade };
}

/** undici's own type lacks these members. */
export type Dispatched = Dispatcher.DispatchOptions & {
  readonly headers: string[];
  readonly servername: string | undefined;
  /** The beginning of `headers`, if an earlier request had the same lines. */
  readonly lines: Lines | undefined;
};

/** The request to the upstream, in the form that undici expects. */
export function dispatchOptions(
  exchange: Exchange,
  plan: Forward,
  origin: UpstreamUrl,
  { body, onUpgrade }: DispatchedMessage,
): Dispatched {
  const { head, shared, requestId } = exchange;
  const { idle, response } = plan.route.limits;
  const propagated = exchange.trace?.forwarding(head.method, plan.target, origin);
  const host = hostFor(exchange, origin);
  const sender = { host, requestIdHeader: shared.requestIdHeaderLower, requestId, propagated };
  const lines = knownLines(exchange, plan, sender);
  const headers = lines === undefined ? allFields(exchange, plan, sender) : [...lines.fields, ...ownFields(sender)];
  const length = contentLength(exchange, body);
  if (length !== undefined) headers.push('content-length', length);
  return {
    path: plan.target,
    method: head.method as Dispatcher.HttpMethod,
    headers,
    lines,
    body,
    // Without it, undici takes the name from Host and opens a new connection for each name.
    servername: origin.serverName,
    upgrade: onUpgrade === undefined ? null : 'websocket',
    bodyTimeout: finite(idle),
    // The relay has its own timeout for the first byte. This one catches an upstream that stops reading an upload.
    headersTimeout: finite(response + 1000),
  };
}

function allFields({ request, head }: Exchange, plan: Forward, sender: Sender): string[] {
  return plan.asCame ? shadowFields(request.rawHeaders, head, plan, sender) : upstreamFields(head, plan, sender);
}

/** Undefined: the connection does not remember its fields, or the lines depend on more than these fields. */
function knownLines({ request: { memory }, head }: Exchange, plan: Forward, sender: Sender): Lines | undefined {
  if (memory?.fields.fields !== head.fields || plan.shadow !== undefined || sender.propagated !== undefined)
    return undefined;
  if (plan.mcp !== undefined && !sendsAsReceived(plan.mcp)) return undefined;
  const { route, identityHeaders, bodyChanged } = plan;
  const handedOn = isHandedOn(plan) ? head.authorization?.value : undefined;
  const { host, requestIdHeader } = sender;
  const key = [route, identityHeaders, bodyChanged, head.origin, head.method, host, requestIdHeader, handedOn];
  return memory.sent.for(key, () => sentLines(head, plan, sender)).lines;
}

function sentLines(head: RequestHead, plan: Forward, sender: Sender): SentLines {
  const fields = receivedFields(head, plan, sender);
  return { lines: new Lines([...fields, ...addedFields(head, plan)]), received: fields.length };
}

/** Whether the upstream gets the client's own fields. */
function sendsAsReceived({ call, replaced, reads }: CallPlan): boolean {
  return replaced.size === 0 && (reads === 'nothing' || reads === 'head') && (call?.added.length ?? 0) === 0;
}

export function hostFor({ head }: Exchange, origin: UpstreamUrl): string {
  return origin.host ?? head.host?.value ?? origin.authority;
}

function contentLength({ head }: Exchange, body: SentBody): string | undefined {
  if (body instanceof Buffer) return String(body.length);
  return head.contentLength?.value;
}

/** In undici, 0 means no limit. */
export function finite(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? milliseconds : 0;
}

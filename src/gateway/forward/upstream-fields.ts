import { fold } from '../../config/words/fold-name.ts';
import { connectionNames } from '../decide/framing.ts';
import type { Forward } from '../decide/outcome.ts';
import { credentialHeaders } from '../decide/placed-credentials.ts';
import { forwardedHops, listNames, type RequestHead } from '../message/request-head.ts';
import { OURS } from '../message/reserved-headers.ts';
import type { Propagated } from '../telemetry/request-trace.ts';
import { isTraceBroken, TRACE_FIELDS } from '../telemetry/trace-context.ts';

/**
 * The header section of the request to the upstream. This order keeps a client from deleting or forging our headers:
 * drop the fields that `Connection` names, drop identity and forwarding headers in every spelling, then add ours.
 */

export const BODY_DIGESTS: ReadonlySet<string> = new Set(['content-digest', 'repr-digest', 'digest', 'content-md5']);

export interface Sender {
  /** Lower case. */
  readonly requestIdHeader: string;
  readonly requestId: string;
  /** Goes first (RFC 9112 §3.2). */
  readonly host: string;
  /** Undefined: tracing is off, and the client's trace headers pass unchanged. */
  readonly propagated?: Propagated | undefined;
}

export function upstreamFields(head: RequestHead, plan: Forward, sender: Sender): string[] {
  return [...receivedFields(head, plan, sender), ...addedFields(head, plan), ...ownFields(sender)];
}

/** The fields that differ between two requests with the same header section. */
export function ownFields({ requestIdHeader, requestId, propagated }: Sender): string[] {
  return [requestIdHeader, requestId, ...(propagated?.fields ?? [])];
}

/** Host, and the client's own fields that the upstream gets, in their order. */
export function receivedFields(head: RequestHead, plan: Forward, sender: Sender): string[] {
  const fields = ['host', sender.host];
  const { route } = plan;
  const named = connectionNames(head);
  const credential = ownCredential(plan);
  const keepsAuthorization = isHandedOn(plan);
  const dropped = keepsAuthorization || route.schemes.length === 0 ? undefined : credentialHeaders(route.schemes);
  const replaced = sender.propagated?.replaced ?? brokenTrace(head, plan, named);
  const received = head.fields;
  const isFromProxy = head.origin.isProxied;
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string;
    if (OURS.has(name) || named?.has(name) || name === sender.requestIdHeader) continue;
    if (replaced?.has(name)) continue;
    if (name === 'authorization' ? !keepsAuthorization : route.identityHeaders.spoofs(name, isFromProxy)) continue;
    if (dropped?.has(fold(name))) continue;
    if (credential !== undefined && fold(name) === credential.folded) continue;
    if (plan.bodyChanged && BODY_DIGESTS.has(name)) continue;
    const value = valueFor(plan, name, received[i + 1] as string);
    if (value === undefined) continue;
    fields.push(name, name === 'max-forwards' ? forwardedHops(head, value) : value);
  }
  return fields;
}

/** The fields that the gateway adds to every request with the same header section and identity. */
export function addedFields(head: RequestHead, plan: Forward): string[] {
  const fields: string[] = [];
  const credential = ownCredential(plan);
  addForwarding(fields, head);
  for (const text of plan.identityHeaders) fields.push(text);
  if (plan.mcp?.call !== undefined) fields.push(...plan.mcp.call.added);
  if (credential?.value !== undefined) fields.push(credential.name, credential.value);
  return fields;
}

/** The gateway's credential at the upstream. */
function ownCredential({ shadow, route }: Forward) {
  return shadow === undefined ? route.upstream.credential : undefined;
}

/** Undefined: the upstream does not get the field. */
function valueFor({ mcp }: Forward, name: string, value: string): string | undefined {
  if (mcp === undefined) return value;
  if (mcp.replaced.has(name)) return mcp.replaced.get(name);
  return READ.has(mcp.reads) && UNREADABLE.has(name) ? undefined : value;
}

const READ: ReadonlySet<string> = new Set(['list', 'stream']);
/** The gateway reads the answer, so it must be neither compressed nor a part. */
const UNREADABLE: ReadonlySet<string> = new Set(['accept-encoding', 'range', 'if-range']);

/** The trace fields to drop, because they are broken. Shadow mode drops nothing. */
function brokenTrace(
  head: RequestHead,
  { shadow }: Forward,
  named: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const isTraced = head.traceparent !== undefined || head.tracestate !== undefined;
  if (shadow !== undefined || !isTraced) return undefined;
  return isTraceBroken(head) || named?.has('traceparent') ? TRACE_FIELDS : undefined;
}

/** Whether the upstream gets the client's credential, if the gateway adds none. */
export function isHandedOn({ shadow, route }: Forward): boolean {
  return shadow !== undefined || route.access === 'public' || route.forwardCredential;
}

/**
 * Whether the upstream's answers about credentials concern the gateway: it gets the gateway's credential and not the
 * client's.
 */
export function speaksForUs(plan: Forward): boolean {
  const { credential } = plan.route.upstream;
  if (credential === undefined || plan.shadow !== undefined) return false;
  return credential.folded === 'authorization' || !isHandedOn(plan);
}

/** These fields come from the connection, never from the client. `Via` extends the client's own (RFC 9110 §7.6.3). */
function addForwarding(fields: string[], head: RequestHead): void {
  fields.push('x-forwarded-for', head.origin.chain);
  addForwardingFields(fields, head);
  fields.push('via', `${head.version} gatehouse`);
  // The gateway relays trailers, so it may ask for them (RFC 9110 §10.1.4).
  if (listNames(head.te, 'trailers')) fields.push('te', 'trailers');
}

/** Adds the facts about the client's connection: RFC 7239 and its predecessors, without X-Forwarded-For. */
export function addForwardingFields(fields: string[], head: RequestHead): void {
  const { address, secure, certificate } = head.origin;
  const host = head.origin.host ?? head.host?.value ?? '';
  const proto = secure ? 'https' : 'http';
  fields.push('x-forwarded-host', host, 'x-forwarded-proto', proto);
  fields.push('forwarded', `for=${node(address)};host=${parameter(host)};proto=${proto}`);
  // RFC 9440 §2.2.
  if (certificate !== undefined) fields.push('client-cert', certificate.field);
}

/** The peer of this connection. */
export function upstreamPeerOf({ origin: { chain } }: RequestHead): string {
  return chain.slice(chain.lastIndexOf(' ') + 1);
}

/** RFC 7239 §6: an IPv6 address needs brackets and quotes. */
function node(address: string): string {
  return address.includes(':') ? `"[${address}]"` : address;
}

/** A value that is not a token needs quotes. A judged Host contains no character that needs an escape. */
function parameter(host: string): string {
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : `"${host}"`;
}

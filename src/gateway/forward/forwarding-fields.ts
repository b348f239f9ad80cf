import type { RequestHead } from '../message/request-head.ts';

/** Adds what the upstream is told of the client's connection: RFC 7239 and its predecessors, without X-Forwarded-For. */
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
export function peerOf({ origin: { chain } }: RequestHead): string {
  return chain.slice(chain.lastIndexOf(' ') + 1);
}

/** RFC 7239 §6: an IPv6 address is bracketed and quoted. */
function node(address: string): string {
  return address.includes(':') ? `"[${address}]"` : address;
}

/** A value that is no token is quoted; a judged Host has no character that would need an escape. */
function parameter(host: string): string {
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : `"${host}"`;
}

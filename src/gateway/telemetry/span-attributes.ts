import type { Attributes } from '@opentelemetry/api';
import { printableMembers } from '../../base/printable.ts';
import { normalizeHost } from '../../config/words/host.ts';
import type { Route } from '../decide/route.ts';
import type { RequestHead } from '../message/request-head.ts';
import { pathText } from '../routing/specificity.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { pathOf } from './without-tokens.ts';

/** The semantic conventions for HTTP spans, stable since 1.23. No query, no header except Host, and no part of a credential. */

const KNOWN: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** What is known about a request before it is judged. */
export function requestAttributes(head: RequestHead): Attributes {
  const { host, secure } = head.origin;
  return printableMembers<Attributes>({
    ...methodAttributes(head.method),
    'url.path': pathOf(head),
    'url.scheme': secure ? 'https' : 'http',
    ...serverAttributes(host ?? head.host?.value),
    'network.protocol.version': head.version === '2.0' ? '2' : head.version,
  });
}

/** A request to an upstream. `url.full` follows the conventions, but without the query. */
export function forwardAttributes(method: string, target: string, { authority, serverName }: UpstreamUrl): Attributes {
  const scheme = serverName === undefined ? 'http' : 'https';
  return {
    ...methodAttributes(method),
    'url.full': `${scheme}://${authority}${pathOf({ target })}`,
    ...serverAttributes(authority),
  };
}

/** The path pattern from the file. Undefined: no route, or the route of all requests without one. */
export function routeText(route: Route | undefined): string | undefined {
  return route === undefined || route.id === '' ? undefined : pathText(route);
}

/** Span names have few values, whatever clients send. */
export function spanName(method: string, route?: string): string {
  const verb = KNOWN.has(method) ? method : 'HTTP';
  return route === undefined ? verb : `${verb} ${route}`;
}

function methodAttributes(method: string): Attributes {
  if (KNOWN.has(method)) return { 'http.request.method': method };
  return { 'http.request.method': '_OTHER', 'http.request.method_original': method };
}

/** Returns nothing if a client wrote something other than a host. */
function serverAttributes(authority: string | undefined): Attributes {
  const host = authority === undefined ? undefined : normalizeHost(authority);
  if (host === undefined) return {};
  const port = /:(\d+)$/.exec(authority ?? '')?.[1];
  return { 'server.address': host.replace(/^\[|\]$/g, ''), ...(port !== undefined && { 'server.port': Number(port) }) };
}

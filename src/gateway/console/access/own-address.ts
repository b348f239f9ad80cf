import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { plainAddress } from '../../../base/client-address.ts';
import type { IsOurs, OwnPages } from '../../../base/refuse-pages.ts';
import type { AdminConfig } from '../../../config/schema/admin.ts';
import { isLoopback, normalizeHost } from '../../../config/words/host.ts';
import { hostsOf } from '../../../config/words/hosts-of.ts';

/** Probes and scrapers may request these paths without a login. Unless `admin` is on loopback, any Host is accepted. */
const OPEN: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz', '/metrics']);

/** The address without its parameters, as the router knows it. So no other spelling of a path opens anything. */
export function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '';
}

export function isOpenToProbes(request: FastifyRequest): boolean {
  return OPEN.has(routeOf(request));
}

/** True for the pages and their API, whatever `access` says. */
export function isOfConsole(request: FastifyRequest): boolean {
  return /^\/(?:console|api)(?:\/|$)/.test(routeOf(request));
}

/** True if the path, as written, is one of the pages. A person may follow a link to it. */
export function isPagePath({ url }: FastifyRequest): boolean {
  return /^\/console(?:[/?]|$)/.test(url);
}

/**
 * True if a Host names this listener. Only its own name, its own IP address, and the host of `url` count. A hostname
 * that an attacker pointed at this machine (DNS rebinding) does not count.
 */
export function ownHosts(admin: AdminConfig): IsOurs {
  const forProbes = hostsOf(admin.host);
  const named = admin.url === undefined ? undefined : normalizeHost(new URL(admin.url).host);
  return (text, request) => {
    const host = normalizeHost(text);
    if (host === undefined) return false;
    if (host === named) return true;
    const isForEveryone = admin.access === 'loopback' || isOpenToProbes(request);
    return isForEveryone ? forProbes(text) : isOwnName(host, admin, request);
  };
}

function isOwnName(host: string, admin: AdminConfig, { socket }: FastifyRequest): boolean {
  const local = plainAddress(socket.localAddress);
  if (isLoopback(host)) return isLoopback(local);
  if (host === normalizeHost(bracketed(local))) return true;
  // Browsers connect to 0.0.0.0 as to this machine, so it is no name of the listener.
  return isIP(admin.host) === 0 && host === normalizeHost(admin.host);
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

export function ownPages({ host, url }: AdminConfig): OwnPages {
  const others = url === undefined ? 'set `admin.url` to the origin that you use' : `open ${url}`;
  const remedy = isLoopback(host)
    ? 'this listener accepts only local requests: use localhost or a loopback address'
    : 'the host in the address does not belong to this listener: use the name or the IP address of this listener';
  return {
    origin: url === undefined ? undefined : new URL(url).origin,
    mayLink: isPagePath,
    remedy: `${remedy}, or ${others}`,
  };
}

/**
 * The origin to which a login returns. Without `url`, it is the address of the file, with the port that the browser uses. A
 * forwarded port may differ from ours.
 */
export function publicOrigin({ host, tls, url }: AdminConfig, { headers, socket }: FastifyRequest): string {
  if (url !== undefined) return new URL(url).origin;
  const [, port = socket.localPort] = /:([0-9]+)$/.exec(headers.host ?? '') ?? [];
  return new URL(`${tls === undefined ? 'http' : 'https'}://${bracketed(host)}:${port}`).origin;
}

/** Cookies belong to a name, so a login must end under the name where it began. */
export function isAtPublicName(admin: AdminConfig, request: FastifyRequest): boolean {
  if (admin.url !== undefined || request.headers.host === undefined) return true;
  return new URL(publicOrigin(admin, request)).hostname === normalizeHost(request.headers.host);
}

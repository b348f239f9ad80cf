import { type AdminConfig, isByServer } from '../schema/admin.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';

type Told = Pick<Finding, 'message' | 'hint'>;

/** The origin by which browsers reach the listener of operators. */
export function adminUrlFaults(admin: AdminConfig): readonly Finding[] {
  const told = admin.url === undefined ? missing(admin) : judge(admin, admin.url);
  return told === undefined ? [] : [{ pointer: ['admin', 'url'], ...told }];
}

/** True if another machine can reach the listener, directly or through a proxy. */
export function isBeyondLoopback({ host, url }: Pick<AdminConfig, 'host' | 'url'>): boolean {
  const named = url === undefined ? undefined : parseUrl(url);
  return !isLoopback(host) || (named !== undefined && !isLoopback(named.hostname));
}

/** RFC 6749 §3.1.2: the server needs the whole redirect address, and Host must not decide it. */
function missing({ host, access }: AdminConfig): Told | undefined {
  if (!isByServer(access) || isLoopback(host)) return undefined;
  const hint = 'write the origin that operators type: `url: https://ops.example.com`';
  return { message: 'without `url`, the server does not know where to send the browser after the login', hint };
}

function judge(admin: AdminConfig, text: string): Told | undefined {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    return { message: 'not an origin', hint: 'write scheme://host[:port] without a path: `https://ops.example.com`' };
  return plainFault(url) ?? contradiction(admin, url);
}

function plainFault({ protocol, hostname }: URL): Told | undefined {
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  return { message: 'others can read and change http traffic between machines', hint: 'use https' };
}

/** A login would send the browser to an address where this listener does not answer. */
function contradiction({ host, port, tls }: AdminConfig, url: URL): Told | undefined {
  if (tls !== undefined && url.protocol === 'http:')
    return { message: 'the listener has TLS, and this URL is http', hint: 'write https, or remove `tls`' };
  if (!isLoopback(url.hostname) || isEvery(host)) return undefined;
  if (!isLoopback(host))
    return {
      message: `this URL has a loopback host, but the listener has the address ${host} and does not answer on loopback`,
      hint: 'write the name by which other machines reach the listener',
    };
  const named = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0 || named === port || (url.protocol === 'https:' && tls === undefined)) return undefined;
  return {
    message: `the listener has the port ${port}, and this URL has the port ${named}`,
    hint: 'use the same port',
  };
}

function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

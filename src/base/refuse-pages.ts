import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** True if a Host names the listener. */
export type IsOurs = (host: string) => boolean;

/** The reason for a refusal, in words for the person at the browser. */
interface PageRefusal {
  readonly status: 403 | 421;
  readonly reason: string;
}

/**
 * Refuses requests that a web page sends without its user's intent. `Origin` or `Sec-Fetch-Site` reveals a page of another
 * site. If the page's hostname was pointed at this machine (DNS rebinding), the browser treats it as the same site. But its
 * hostname is not ours.
 */
export function refusePages(app: FastifyInstance, isOurs: IsOurs): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    const refusal = judgePage(headers, isOurs);
    if (refusal !== undefined) return reply.code(refusal.status).send({ status: 'refused', reason: refusal.reason });
  });
}

/** Undefined: not a page, or a page of this listener. A request without a Host, in HTTP/1.0, is not from a browser. */
function judgePage(headers: IncomingHttpHeaders, isOurs: IsOurs): PageRefusal | undefined {
  if (headers.host !== undefined && !isOurs(headers.host)) return MISDIRECTED;
  return isOwnOrigin(headers) && isOwnSite(headers) ? undefined : FOREIGN_PAGE;
}

const MISDIRECTED: PageRefusal = {
  status: 421,
  reason: 'this listener accepts only local requests: use localhost or a loopback address',
};

const FOREIGN_PAGE: PageRefusal = {
  status: 403,
  reason: 'this listener rejects requests from pages of other sites: open its address directly, or use curl',
};

/** Scripts send `Origin` with cross-site requests, and with every POST (Fetch §3.2). */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());
}

/** `none` means that a person typed the address (Fetch Metadata §2.3). */
function isOwnSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site === undefined || site === 'none' || site === 'same-origin';
}

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Whether a Host names the listener. */
export type IsOurs = (host: string) => boolean;

/** Why a request is refused, in words for the person at the browser. */
interface PageRefusal {
  readonly status: 403 | 421;
  readonly reason: string;
}

/**
 * Refuses what a web page sends in the name of the person who opened it. A page of another site gives itself away by
 * `Origin` or `Sec-Fetch-Site`. One whose name was pointed at this machine (DNS rebinding) is of the same site for the
 * browser; its name is no host of ours.
 */
export function refusePages(app: FastifyInstance, isOurs: IsOurs): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    const refusal = judgePage(headers, isOurs);
    if (refusal !== undefined) return reply.code(refusal.status).send({ status: 'refused', reason: refusal.reason });
  });
}

/** Undefined: not a page, or one of this listener. Without a Host, in HTTP/1.0, it is no browser. */
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

/** Present in what a script sends across sites, and in every POST (Fetch §3.2). */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());
}

/** `none` is an address that a person typed (Fetch Metadata §2.3). */
function isOwnSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site === undefined || site === 'none' || site === 'same-origin';
}

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** True if a Host names the listener. */
export type IsOurs = (host: string, request: FastifyRequest) => boolean;

/** A listener with pages of its own. */
export interface OwnPages {
  /** The origin by which a proxy serves the pages, if it replaces Host. */
  readonly origin: string | undefined;
  /** True if a link or a redirect of another site may open this address. Such an address changes nothing. */
  mayLink(request: FastifyRequest): boolean;
  /** What the caller should do after a request with a wrong Host. */
  readonly remedy: string;
}

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
export function refusePages(app: FastifyInstance, isOurs: IsOurs, own: OwnPages = NO_PAGES): void {
  app.addHook('onRequest', async (request, reply) => {
    const refusal = judgePage(request, isOurs, own);
    if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.reason });
  });
}

const NO_PAGES: OwnPages = {
  origin: undefined,
  mayLink: () => false,
  remedy: 'this listener accepts only local requests: use localhost or a loopback address',
};

/** Undefined: not a page, or a page of this listener. A request without a Host, in HTTP/1.0, is not from a browser. */
function judgePage(request: FastifyRequest, isOurs: IsOurs, own: OwnPages): PageRefusal | undefined {
  const { headers } = request;
  if (headers.host !== undefined && !isOurs(headers.host, request)) return { status: 421, reason: own.remedy };
  if (!isOwnOrigin(headers, own)) return FOREIGN_PAGE;
  return isOwnSite(headers) || (isLink(request) && own.mayLink(request)) ? undefined : FOREIGN_PAGE;
}

const FOREIGN_PAGE: PageRefusal = {
  status: 403,
  reason: 'this listener rejects requests from pages of other sites: open its address directly, or use curl',
};

/** Scripts send `Origin` with cross-site requests, and with every POST (Fetch §3.2). */
export function isOwnOrigin(
  { origin, host }: IncomingHttpHeaders,
  { origin: own }: Pick<OwnPages, 'origin'> = NO_PAGES,
): boolean {
  if (origin === undefined || origin === own) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** `none` means that a person typed the address (Fetch Metadata §2.3). */
function isOwnSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site === undefined || site === 'none' || site === 'same-origin';
}

/** A browser opens the address in a tab (Fetch Metadata §2.1, §2.2), so the other site sees nothing of the answer. */
function isLink({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

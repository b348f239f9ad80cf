import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';

const own: ReadonlySet<string | undefined> = new Set([undefined, 'same-origin', 'none']);

/**
 * A form that a page of somebody else posted is refused by what the browser says of it. Our pages have no referrer, so
 * their forms come with `Origin: null` (Fetch §3.2); what proves them is `Sec-Fetch-Site`, and the sealed transaction
 * together with the cookie of the browser.
 */
export function requireOwnPage({ headers }: FastifyRequest, issuer: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeign = origin !== undefined && origin !== 'null' && origin !== new URL(issuer).origin;
  if (isForeign || !own.has(site as string | undefined))
    throw new OAuthError('form_forged', { detail: 'foreign page' });
}

import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';

const own: ReadonlySet<string | undefined> = new Set([undefined, 'same-origin', 'none']);

/**
 * Rejects a form that another site's page posted (CSRF), by the browser's headers. Our pages send no referrer, so browsers send
 * their forms with `Origin: null` (Fetch §3.2). `Sec-Fetch-Site` proves such a form. The sealed transaction together with the
 * browser's cookie proves it too.
 */
export function requireOwnPage({ headers }: FastifyRequest, issuer: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeign = origin !== undefined && origin !== 'null' && origin !== new URL(issuer).origin;
  if (isForeign || !own.has(site as string | undefined))
    throw new OAuthError('form_forged', { detail: 'foreign page' });
}

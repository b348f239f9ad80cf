import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sameBytes, sha256 } from '../../base/secret.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { readForm } from '../http/form.ts';
import { randomCookieValue } from './cookies.ts';
import { requireOwnPage } from './csrf-origin.ts';
import type { BrowserExchange } from './exchange.ts';
import type { PageContext } from './page-context.ts';
import { findSignedInUser, type SignedInUser } from './signed-in-user.ts';
import type { Transaction } from './transactions.ts';

/** Seconds for which the service accepts the answer to a page. */
const patience = 600;

/** The checkboxes of the consent page, which may send several values under one name. */
const boxes = { repeatable: ['scope', 'rscope'] };

export interface CsrfForm {
  readonly form: Parameters;
  readonly transaction: Transaction;
}

/** Seals the state of a page, bound to this browser. The page also sets the browser's cookie. */
export function beginTransaction(
  { service, transactions, browserCookie }: PageContext,
  { request, reply }: BrowserExchange,
  { lifetime = patience, ...rest }: Pick<Transaction, 'kind' | 'parameters' | 'session'> & { lifetime?: number },
): string {
  const known = browserCookie.read(request);
  const value = known ?? randomCookieValue();
  if (known === undefined) browserCookie.set(reply, value);
  return transactions.seal({
    ...rest,
    browser: sha256(value).toString('base64url'),
    id: randomBytes(16).toString('base64url'),
    expiresAt: seconds(service.clock) + lifetime,
  });
}

/** The form of a page that this browser opened a short while ago, or a refusal. */
export function readCsrfForm(front: PageContext, request: FastifyRequest, kind: Transaction['kind']): CsrfForm {
  requireOwnPage(request, front.service.config.issuer);
  const form = readForm(front.service, request, boxes);
  const sealed = form.get(kind === 'account' ? 'csrf' : 'transaction');
  const transaction = sealed === undefined ? undefined : front.transactions.open(sealed, kind);
  if (transaction === undefined) throw new OAuthError('form_forged', { detail: 'unknown or missing transaction' });
  if (transaction.expiresAt <= seconds(front.service.clock))
    throw new OAuthError('transaction_expired', { detail: 'too late' });
  requireSameBrowser(front, request, transaction);
  return { form, transaction };
}

function requireSameBrowser({ browserCookie }: PageContext, request: FastifyRequest, { browser }: Transaction): void {
  const value = browserCookie.read(request);
  const isSame = value !== undefined && sameBytes(sha256(value), Buffer.from(browser, 'base64url'));
  if (!isSame) throw new OAuthError('form_forged', { detail: 'another browser' });
}

/** Does the same for a page of a signed-in user, who must still be signed in. */
export async function readCsrfFormOfUser(
  front: PageContext,
  request: FastifyRequest,
  kind: 'consent' | 'account' | 'logout',
): Promise<CsrfForm & { readonly visitor: SignedInUser }> {
  const posted = readCsrfForm(front, request, kind);
  const visitor = await findSignedInUser(front, request);
  if (visitor === undefined || visitor.session.id !== posted.transaction.session)
    throw new OAuthError('transaction_expired', { detail: 'another session' });
  return { ...posted, visitor };
}

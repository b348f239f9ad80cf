import type { FastifyReply } from 'fastify';
import { seconds } from '../../../base/clock.ts';
import { sha256 } from '../../../base/secret.ts';
import { OAuthError } from '../../../oauth/errors.ts';
import { formatScope } from '../../../oauth/scope.ts';
import type { OneTime } from '../../../storage/records/records.ts';
import { recordError } from '../../http/errors.ts';
import { answerClient, grantRequest } from '../answer-client.ts';
import type { AuthorizationRequest } from '../authorization-request.ts';
import { encodeForm, redirect } from '../authorization-response.ts';
import { readCarried } from '../carried-parameters.ts';
import { consentScopes, tickedScope } from '../consent.ts';
import { type CsrfForm, readCsrfFormOfUser } from '../csrf-form.ts';
import type { BrowserExchange } from '../exchange.ts';
import { judgeAddress, judgeRequest } from '../judge-request.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { type SignedInUser, signOut } from '../signed-in-user.ts';
import type { Transaction } from '../transactions.ts';

interface Answered extends BrowserExchange, CsrfForm {
  readonly visitor: SignedInUser;
  readonly asked: AuthorizationRequest;
}

export function consentEndpoints(front: PageContext): readonly PageEndpoint[] {
  return [
    {
      name: 'consent',
      method: 'GET',
      paths: [pagePaths.consent, pagePaths.switchUser],
      handle: async (_request, reply) => redirect(reply, front.paths.account),
    },
    {
      name: 'consent',
      method: 'POST',
      paths: [pagePaths.consent],
      handle: (request, reply) => receive(front, { request, reply }),
    },
    {
      name: 'switch',
      method: 'POST',
      paths: [pagePaths.switchUser],
      handle: (request, reply) => switchUser(front, { request, reply }),
    },
  ];
}

/** Validates the request again: the client's rights may have changed since the page was shown. */
async function receive(front: PageContext, exchange: BrowserExchange): Promise<FastifyReply> {
  const { service } = front;
  const posted = await readCsrfFormOfUser(front, exchange.request, 'consent');
  const read = readCarried(service, posted.transaction.parameters ?? []);
  const addressed = await judgeAddress(service, read, exchange.request);
  return answerClient(front, exchange, addressed, async () =>
    decide(front, { ...exchange, ...posted, asked: await judgeRequest(service, addressed, read) }),
  ).catch((error) => beginAgain(front, exchange, posted, error));
}

/**
 * After a double click the browser shows only the second answer, so that answer must not be an error. The request
 * starts again, and the first grant is already stored.
 */
function beginAgain(
  { paths }: PageContext,
  { request, reply }: BrowserExchange,
  { transaction }: CsrfForm,
  error: unknown,
) {
  if (!(error instanceof OAuthError) || error.code !== 'transaction_expired') throw error;
  recordError(error, request);
  return redirect(reply, `${paths.authorize}?${encodeForm(transaction.parameters ?? [])}`);
}

async function decide(front: PageContext, answered: Answered): Promise<FastifyReply> {
  const { form, asked, transaction, visitor } = answered;
  if (form.get('decision') !== 'allow') return deny(front, answered, 'The user denied the request.');
  const scope = tickedScope(asked, [...form.all('scope'), ...form.all('rscope')]);
  if (scope === undefined) return deny(front, answered, 'The user granted none of the scopes.');
  const { account, session } = visitor;
  const { subject } = account;
  const grantType = asked.responseType.grant;
  const grantedAt = seconds(front.service.clock);
  const decision = {
    account,
    sessionId: session.id,
    authTime: session.authenticatedAt,
    scope,
    consent: { subject, clientId: asked.client.id, asked: consentScopes(asked), granted: scope, grantType, grantedAt },
    transaction: oneTime(transaction),
    premises: { session: session.hash },
  };
  const reply = await grantRequest(front, answered, asked, decision);
  record(front, answered, 'consent_granted', formatScope(scope));
  return reply;
}

async function deny(front: PageContext, answered: Answered, description: string): Promise<never> {
  const isFirst = await front.service.records.useOnce(oneTime(answered.transaction));
  if (!isFirst) throw new OAuthError('transaction_expired', { detail: 'used before' });
  record(front, answered, 'consent_denied');
  throw new OAuthError('access_denied', { description });
}

/** The store forgets it after the page has expired. */
function oneTime({ id, expiresAt }: Transaction): OneTime {
  return { hash: sha256(id), until: expiresAt };
}

function record(
  { service }: PageContext,
  { request, asked, visitor }: Answered,
  event: 'consent_granted' | 'consent_denied',
  scope?: string,
): void {
  service.audit.record(event, {
    client_id: asked.client.id,
    sub: visitor.account.subject,
    scope,
    address: request.ip,
    request_id: request.id,
  });
}

/** "Not you?": ends this session, and starts the same request with a login. */
async function switchUser(front: PageContext, { request, reply }: BrowserExchange): Promise<FastifyReply> {
  const { transaction, visitor } = await readCsrfFormOfUser(front, request, 'consent');
  await signOut(front, visitor, { request, reply });
  return redirect(reply, `${front.paths.authorize}?${encodeForm(transaction.parameters ?? [])}`);
}

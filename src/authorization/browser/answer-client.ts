import type { FastifyReply } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import { recordError } from '../http/errors.ts';
import { limitSession } from '../http/issuing-limit.ts';
import type { Addressed, AuthorizationRequest, ConsentDecision } from './authorization-request.ts';
import { sendResponse } from './authorization-response.ts';
import type { BrowserExchange } from './exchange.ts';
import type { PageContext } from './page-context.ts';

/**
 * From here on, the client learns about every fault, outages included: it would never see our status (RFC 6749 §4.1.2.1). If
 * the page was already used, the client has its answer.
 */
export async function answerClient(
  { service, siteFor }: PageContext,
  { request, reply }: BrowserExchange,
  addressed: Addressed,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof OAuthError && error.code === 'transaction_expired') throw error;
    const values = { ...recordError(error, request).body(), iss: service.config.issuer };
    return sendResponse(reply, addressed, { site: siteFor(request, addressed.uiLocales), values });
  }
}

/** Grants the request after the user's consent, given now or earlier. */
export async function grantRequest(
  { service, siteFor }: PageContext,
  { request: caller, reply }: BrowserExchange,
  request: AuthorizationRequest,
  decision: ConsentDecision,
): Promise<FastifyReply> {
  const { account, premises } = decision;
  await limitSession(service, { account, session: premises.session }, { client: request.client, caller });
  const values = await request.responseType.respond(service, request, decision);
  if (values === undefined) throw new OAuthError('transaction_expired', { detail: 'used before' });
  const site = siteFor(caller, request.uiLocales);
  return sendResponse(reply, request, { site, values: { ...values, iss: service.config.issuer } });
}

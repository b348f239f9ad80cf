import type { FastifyReply } from 'fastify';
import { seconds } from '../../../base/clock.ts';
import { isLoopback } from '../../../config/words/host.ts';
import { OAuthError } from '../../../oauth/errors.ts';
import { readParameters } from '../../../oauth/parameters.ts';
import { formatScope } from '../../../oauth/scope.ts';
import { isSelfMade } from '../../clients/clients.ts';
import { formText, queryOf } from '../../http/form.ts';
import { subjectFor } from '../../openid/subject.ts';
import { answerClient, grantRequest } from '../answer-client.ts';
import type { Addressed, AuthorizationRequest } from '../authorization-request.ts';
import { encodeForm, redirect } from '../authorization-response.ts';
import { afterLogin, type CarriedParameters, carried } from '../carried-parameters.ts';
import { consentScopes, whyAsk } from '../consent.ts';
import type { BrowserExchange } from '../exchange.ts';
import { judgeAddress, judgeRequest } from '../judge-request.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { personOf, showConsent } from '../show-consent.ts';
import { showLogin } from '../show-login.ts';
import { findSignedInUser, type SignedInUser } from '../signed-in-user.ts';

/** A request with a valid client, redirect address and parameters. */
interface Asked extends BrowserExchange {
  readonly asked: AuthorizationRequest;
  readonly parameters: CarriedParameters;
}

/** RFC 6749 §4.1.1, §4.2.1. */
export function authorizeEndpoints(front: PageContext): readonly PageEndpoint[] {
  const row = { name: 'authorize', paths: [pagePaths.authorize] } as const;
  return [
    {
      ...row,
      method: 'GET',
      head: false,
      handle: (request, reply) => receive(front, { request, reply }, queryOf(request.raw.url ?? ''), proceed),
    },
    {
      ...row,
      method: 'POST',
      handle: (request, reply) => receive(front, { request, reply }, formText(request), turnIntoGet),
    },
  ];
}

/** Checks the client, then the redirect address, then everything else. */
async function receive(
  front: PageContext,
  exchange: BrowserExchange,
  text: string,
  answer: (front: PageContext, asked: Asked) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { service } = front;
  const read = readParameters(text, { ...service.config.compat });
  const parameters = carried(read.parameters);
  const addressed = await judgeAddress(service, read, exchange.request);
  const judged = async () =>
    answer(front, { ...exchange, asked: await judgeRequest(service, addressed, read), parameters });
  return isStrangersSite(addressed) ? judged() : answerClient(front, exchange, addressed, judged);
}

/**
 * Anyone can register such an address. So a faulty request shows a page here: a redirect would let any link to this service
 * lead to any site, before the user decides anything (RFC 9700 §4.11.2).
 */
function isStrangersSite({ client, redirectUri }: Addressed): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return isSelfMade(client) && protocol === 'https:' && !isLoopback(hostname);
}

/** Browsers omit a cookie with SameSite=Lax from a form that another site posts. They send it with the GET that follows. */
async function turnIntoGet({ paths }: PageContext, { reply, parameters }: Asked): Promise<FastifyReply> {
  return redirect(reply, `${paths.authorize}?${encodeForm(parameters)}`);
}

async function proceed(front: PageContext, asking: Asked): Promise<FastifyReply> {
  const { asked, request } = asking;
  const visitor = await findSignedInUser(front, request);
  if (visitor === undefined || mustLogIn(front, asked, visitor)) return askToLogIn(front, asking);
  if (!isExpected(front, asked, visitor)) return askToLogIn(front, asking, visitor);
  const { account, session } = visitor;
  const before = await front.service.records.findConsent(account.subject, asked.client.id);
  const why = whyAsk(asked, before);
  if (why !== undefined && asked.prompt.has('none')) throw new OAuthError(why);
  if (why !== undefined) return showConsent(front, { ...asking, visitor, before });
  const remembered = {
    subject: account.subject,
    clientId: asked.client.id,
    scope: formatScope(consentScopes(asked)),
    grantType: asked.responseType.grant,
  };
  return grantRequest(front, asking, asked, {
    account,
    sessionId: session.id,
    authTime: session.authenticatedAt,
    scope: consentScopes(asked),
    consent: undefined,
    transaction: undefined,
    premises: { session: session.hash, ...(!asked.isLoginOnly && { consent: remembered }) },
  });
}

/** OpenID Connect Core §3.1.2.1. `max_age=0` means the same as `prompt=login`. */
function mustLogIn(
  { service }: PageContext,
  { prompt, maxAge }: AuthorizationRequest,
  { session }: SignedInUser,
): boolean {
  if (prompt.has('login') || prompt.has('select_account') || maxAge === 0) return true;
  return maxAge !== undefined && seconds(service.clock) - session.authenticatedAt > maxAge;
}

/** OpenID Connect Core §3.1.2.1: the user of `id_token_hint`, or none. */
function isExpected(
  { service }: PageContext,
  { client, openid }: AuthorizationRequest,
  { account }: SignedInUser,
): boolean {
  return openid?.subject === undefined || openid.subject === subjectFor(service, client, account.subject);
}

/**
 * `wrong`: the signed-in user, if the client asks for a different user. Without a reason, the page would seem to fail.
 */
async function askToLogIn(
  front: PageContext,
  { asked, parameters, request, reply }: Asked,
  wrong?: SignedInUser,
): Promise<FastifyReply> {
  if (asked.prompt.has('none')) throw new OAuthError('login_required');
  const username = asked.loginHint;
  return showLogin(front, {
    request,
    reply,
    asked: { addressed: asked, parameters: afterLogin(parameters) },
    username,
    ...(wrong && { notThisUser: personOf(wrong.account) }),
  });
}

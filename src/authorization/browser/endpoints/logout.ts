import type { FastifyReply } from 'fastify';
import { parseOAuthParameters } from '../../../oauth/parameters.ts';
import { formText, queryOf } from '../../http/form.ts';
import { sidOf } from '../../openid/session-id.ts';
import { subjectFor } from '../../openid/subject.ts';
import { logoutPage, pageHeaders } from '../../pages/pages.ts';
import { encodeForm, redirect, withQuery } from '../authorization-response.ts';
import { beginTransaction, readCsrfFormOfUser } from '../csrf-form.ts';
import type { BrowserExchange } from '../exchange.ts';
import { judgeLogout, type LogoutRequest } from '../judge-logout.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { judgeAgain, openLogout, sealLogout, withoutToken } from '../posted-logout.ts';
import { personOf } from '../show-consent.ts';
import { findSignedInUser, type SignedInUser, signOut } from '../signed-in-user.ts';

/** OpenID Connect RP-Initiated Logout 1.0. */
export function logoutEndpoints(front: PageContext): readonly PageEndpoint[] {
  const row = { name: 'logout', paths: [pagePaths.logout] } as const;
  const confirm = { name: 'confirm_logout', paths: [pagePaths.confirmLogout] } as const;
  return [
    { ...row, method: 'GET', head: false, handle: (request, reply) => receive(front, { request, reply }) },
    { ...row, method: 'POST', handle: (request, reply) => turnIntoGet(front, { request, reply }) },
    { ...confirm, method: 'GET', handle: async (_request, reply) => redirect(reply, front.paths.account) },
    { ...confirm, method: 'POST', handle: (request, reply) => confirmed(front, { request, reply }) },
  ];
}

/**
 * Browsers omit our cookie from a form that another site posts. They send it with the GET that follows. Its URL has only
 * sealed facts: an ID token in a URL would reach histories and logs.
 */
async function turnIntoGet(front: PageContext, { request, reply }: BrowserExchange): Promise<FastifyReply> {
  const { paths, service } = front;
  const asked = await judgeLogout(service, parseOAuthParameters(formText(request), service.config.compat));
  return redirect(reply, `${paths.logout}?${encodeForm({ [POSTED]: sealLogout(front, asked) })}`);
}

/** The parameter with a posted request. */
const POSTED = 'posted';

async function receive(front: PageContext, exchange: BrowserExchange): Promise<FastifyReply> {
  const { service } = front;
  const parameters = parseOAuthParameters(queryOf(exchange.request.raw.url ?? ''), service.config.compat);
  const posted = parameters.get(POSTED);
  const asked = posted === undefined ? await judgeLogout(service, parameters) : await openLogout(front, posted);
  const visitor = await findSignedInUser(front, exchange.request);
  if (visitor === undefined) return leave(front, exchange, asked);
  if (!isTheirs(front, asked, visitor)) return ask(front, exchange, { asked, visitor });
  await signOut(front, visitor, exchange);
  return leave(front, exchange, asked);
}

/** The ID token says that this client knows the user who is signed in here. Any other page only gets a question to the user. */
function isTheirs(
  { service }: PageContext,
  { client, hint }: LogoutRequest,
  { account, session }: SignedInUser,
): boolean {
  if (client === undefined || hint === undefined) return false;
  return hint.subject === subjectFor(service, client, account.subject) && hint.sid === sidOf(session.id, client.id);
}

function ask(
  front: PageContext,
  exchange: BrowserExchange,
  { asked, visitor }: { readonly asked: LogoutRequest; readonly visitor: SignedInUser },
): FastifyReply {
  const { client, redirectUri } = asked;
  const kept = { kind: 'logout', parameters: withoutToken(asked), session: visitor.session.id } as const;
  const page = logoutPage(front.siteFor(exchange.request, asked.uiLocales), {
    form: { action: front.paths.confirmLogout, transaction: beginTransaction(front, exchange, kept) },
    person: personOf(visitor.account),
    ...(client && { application: client.name }),
    account: front.paths.account,
  });
  return exchange.reply.headers(pageHeaders(redirectUri)).send(page);
}

/** The registration may have changed since the page was shown, so the request is judged again. */
async function confirmed(front: PageContext, exchange: BrowserExchange): Promise<FastifyReply> {
  const { transaction, visitor } = await readCsrfFormOfUser(front, exchange.request, 'logout');
  const asked = await judgeAgain(front, transaction.parameters ?? []);
  await signOut(front, visitor, exchange);
  return leave(front, exchange, asked);
}

function leave(
  { paths }: PageContext,
  { reply }: BrowserExchange,
  { redirectUri, state }: LogoutRequest,
): FastifyReply {
  return redirect(reply, redirectUri === undefined ? paths.signOut : withQuery(redirectUri, { state }));
}

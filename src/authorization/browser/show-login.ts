import type { FastifyReply } from 'fastify';
import { type LoginView, loginHeaders, loginPage } from '../pages/pages.ts';
import type { Addressed } from './authorization-request.ts';
import { beginTransaction } from './csrf-form.ts';
import type { BrowserExchange } from './exchange.ts';
import type { PageContext } from './page-context.ts';
import { shownApplication } from './shown-application.ts';
import type { Transaction } from './transactions.ts';

export interface LoginRequest {
  readonly addressed: Addressed;
  readonly parameters: NonNullable<Transaction['parameters']>;
}

export interface LoginToShow extends BrowserExchange {
  /** The authorization request; absent if the user opened the page directly. */
  readonly asked: LoginRequest | undefined;
  readonly username?: string | undefined;
  readonly notThisUser?: LoginView['notThisUser'];
  readonly failure?: LoginView['failure'];
}

/** After the login, the browser may go to the client at once, so the page's headers allow this redirect address. */
export function showLogin(front: PageContext, shown: LoginToShow): FastifyReply {
  const { request, reply, asked, username, notThisUser, failure } = shown;
  const parameters = asked?.parameters;
  const transaction = beginTransaction(front, { request, reply }, { kind: 'login', ...(parameters && { parameters }) });
  const application = asked && shownApplication(asked.addressed);
  const page = loginPage(front.siteFor(request, asked?.addressed.uiLocales), {
    form: { action: front.paths.login, transaction },
    ...(application && { application }),
    ...(username !== undefined && { username }),
    ...(notThisUser && { notThisUser }),
    ...(failure && { failure }),
  });
  return reply.headers(loginHeaders(application?.redirectUri)).send(page);
}

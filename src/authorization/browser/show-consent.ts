import type { FastifyReply } from 'fastify';
import { scopeList } from '../../oauth/scope.ts';
import type { Consent } from '../../storage/records/records.ts';
import { consentPage, type Person, pageHeaders } from '../pages/pages.ts';
import type { Account } from '../people/accounts.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { CarriedParameters } from './carried-parameters.ts';
import { consentScopes, hasCheckbox } from './consent.ts';
import { beginTransaction } from './csrf-form.ts';
import type { BrowserExchange } from './exchange.ts';
import type { PageContext } from './page-context.ts';
import { scopeDescription } from './scope-description.ts';
import { shownApplication } from './shown-application.ts';
import type { SignedInUser } from './signed-in-user.ts';

export interface ConsentToShow extends BrowserExchange {
  readonly asked: AuthorizationRequest;
  readonly parameters: CarriedParameters;
  readonly visitor: SignedInUser;
  readonly before: Consent | undefined;
}

export function showConsent(front: PageContext, { asked, parameters, visitor, before, ...exchange }: ConsentToShow) {
  const { session, account } = visitor;
  const transaction = beginTransaction(front, exchange, { kind: 'consent', parameters, session: session.id });
  const { paths, service } = front;
  const site = front.siteFor(exchange.request, asked.uiLocales);
  const known = scopeList(before?.scope ?? '');
  const page = consentPage(site, {
    form: { action: paths.consent, transaction },
    switchForm: { action: paths.switchUser, transaction },
    application: shownApplication(asked),
    person: personOf(account),
    scopes: shownScopes(asked).map((token) => ({
      token,
      words: scopeDescription(service.config, token, site.texts),
      grantedBefore: known.includes(token),
    })),
    account: paths.account,
  });
  return exchange.reply.headers(pageHeaders(asked.redirectUri)).send(page) as FastifyReply;
}

function shownScopes(asked: AuthorizationRequest): readonly string[] {
  return consentScopes(asked).filter((scope) => hasCheckbox(asked, scope));
}

export function personOf({ username, name }: Account): Person {
  return { username, ...(name !== undefined && { name }) };
}

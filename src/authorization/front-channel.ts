import { accountEndpoints } from './browser/endpoints/account.ts';
import { assetEndpoints } from './browser/endpoints/assets.ts';
import { authorizeEndpoints } from './browser/endpoints/authorize.ts';
import { consentEndpoints } from './browser/endpoints/consent.ts';
import { homeEndpoint } from './browser/endpoints/home.ts';
import { loginEndpoints } from './browser/endpoints/login.ts';
import { logoutEndpoints } from './browser/endpoints/logout.ts';
import { signOutEndpoints } from './browser/endpoints/sign-out.ts';
import { answerErrorsWith } from './browser/error-pages.ts';
import { buildPageContext, type PageContext, type PageEndpoint } from './browser/page-context.ts';
import type { HostedSite } from './browser/site.ts';
import { answerStrays } from './browser/stray-requests.ts';
import { sessionCodeEndpoint } from './browserless/session-code.ts';
import type { Endpoint } from './http/endpoint.ts';
import { type AnswerError, answerStrayProgram } from './http/errors.ts';
import type { Service } from './service/service.ts';

const pages: readonly ((front: PageContext) => readonly PageEndpoint[])[] = [
  authorizeEndpoints,
  loginEndpoints,
  consentEndpoints,
  accountEndpoints,
  signOutEndpoints,
];

export interface FrontChannel {
  readonly endpoints: readonly Endpoint[];
  /** Answers requests that no endpoint handles. */
  readonly answerStray: AnswerError;
}

/** All pages for a browser. An error of a page is a page too. */
export function frontChannel(service: Service, hosted: HostedSite): FrontChannel {
  const front = buildPageContext(service, hosted);
  const answerError = answerErrorsWith(front);
  const endpoints = [
    ...[...pages, ...(service.config.openid.enabled ? [logoutEndpoints] : [])]
      .flatMap((build) => build(front))
      .map((endpoint) => ({ ...endpoint, answerError })),
    ...assetEndpoints(hosted),
    ...(service.config.session.enabled ? [sessionCodeEndpoint(front)] : []),
    homeEndpoint(front),
  ];
  return { endpoints, answerStray: answerStrays(answerError, answerStrayProgram) };
}

import { accountEndpoints } from './browser/endpoints/account.ts';
import { assetEndpoints } from './browser/endpoints/assets.ts';
import { authorizeEndpoints } from './browser/endpoints/authorize.ts';
import { consentEndpoints } from './browser/endpoints/consent.ts';
import { loginEndpoints } from './browser/endpoints/login.ts';
import { logoutEndpoints } from './browser/endpoints/logout.ts';
import { signOutEndpoints } from './browser/endpoints/sign-out.ts';
import { answerErrorsWith } from './browser/error-pages.ts';
import { buildPageContext, type PageContext, type PageEndpoint } from './browser/page-context.ts';
import type { HostedSite } from './browser/site.ts';
import { sessionCodeEndpoint } from './browserless/session-code.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Service } from './service/service.ts';

const pages: readonly ((front: PageContext) => readonly PageEndpoint[])[] = [
  authorizeEndpoints,
  loginEndpoints,
  consentEndpoints,
  accountEndpoints,
  signOutEndpoints,
];

/** All pages for a browser. An error of a page is a page too. */
export function frontChannel(service: Service, hosted: HostedSite): readonly Endpoint[] {
  const front = buildPageContext(service, hosted);
  const answerError = answerErrorsWith(hosted.site);
  return [
    ...[...pages, ...(service.config.openid.enabled ? [logoutEndpoints] : [])]
      .flatMap((build) => build(front))
      .map((endpoint) => ({ ...endpoint, answerError })),
    ...assetEndpoints(hosted),
    ...(service.config.session.enabled ? [sessionCodeEndpoint(front)] : []),
  ];
}

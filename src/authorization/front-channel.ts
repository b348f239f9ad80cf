import { answerErrorsWith } from './browser/error-pages.ts';
import { buildFront, type Front, type PageEndpoint } from './browser/front.ts';
import type { HostedSite } from './browser/site.ts';
import type { Endpoint } from './endpoint.ts';
import { accountEndpoints } from './endpoints/account.ts';
import { assetEndpoints } from './endpoints/assets.ts';
import { authorizeEndpoints } from './endpoints/authorize.ts';
import { consentEndpoints } from './endpoints/consent.ts';
import { loginEndpoints } from './endpoints/login.ts';
import { sessionCodeEndpoint } from './endpoints/session-code.ts';
import { signOutEndpoints } from './endpoints/sign-out.ts';
import type { Service } from './service.ts';

const pages: readonly ((front: Front) => readonly PageEndpoint[])[] = [
  authorizeEndpoints,
  loginEndpoints,
  consentEndpoints,
  accountEndpoints,
  signOutEndpoints,
];

/** Everything that a browser sees. What goes wrong at a page is a page too. */
export function frontChannel(service: Service, hosted: HostedSite): readonly Endpoint[] {
  const front = buildFront(service, hosted);
  const answerError = answerErrorsWith(hosted.site);
  return [
    ...pages.flatMap((build) => build(front)).map((endpoint) => ({ ...endpoint, answerError })),
    ...assetEndpoints(hosted),
    ...(service.config.session.enabled ? [sessionCodeEndpoint(front)] : []),
  ];
}

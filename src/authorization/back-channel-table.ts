import { eventsEndpoint } from './back-channel/events.ts';
import { introspectEndpoint } from './back-channel/introspect.ts';
import { jwksEndpoint } from './back-channel/jwks.ts';
import { metadataEndpoints } from './back-channel/metadata.ts';
import { revokeEndpoint } from './back-channel/revoke.ts';
import { ssfConfigurationEndpoint } from './back-channel/ssf-configuration.ts';
import { tokenEndpoint } from './back-channel/token.ts';
import { userKeyEndpoint } from './back-channel/user-key.ts';
import { userinfoEndpoints } from './back-channel/userinfo.ts';
import { sessionEndpoints } from './browserless/session.ts';
import { sessionCheckEndpoint } from './browserless/session-check.ts';
import { grants } from './grants/grants.ts';
import { anyOrigin, anyRegistering, fromOrigins } from './http/cors.ts';
import type { Endpoint } from './http/endpoint.ts';
import { knowOrigins } from './http/redirect-origins.ts';
import { manageEndpoints } from './registration/manage.ts';
import { registerEndpoint } from './registration/register.ts';
import type { Service } from './service/service.ts';

/** The endpoints for programs: clients, gateways, and pages of clients in a browser. */
export function backChannel(service: Service, table = grants): readonly Endpoint[] {
  const cors = fromOrigins(mayKnowAny(service) ? anyone : knowOrigins(service));
  return [
    { ...tokenEndpoint(service, table), cors },
    { ...revokeEndpoint(service), cors },
    introspectEndpoint(service),
    eventsEndpoint(service),
    { ...jwksEndpoint(service), cors: anyOrigin },
    ...metadataEndpoints(service, table).map((row) => ({ ...row, cors: anyOrigin })),
    ...(service.config.security_events.receivers.length > 0
      ? [{ ...ssfConfigurationEndpoint(service), cors: anyOrigin }]
      : []),
    ...(service.config.registration.dynamic.enabled
      ? [registerEndpoint(service), ...manageEndpoints(service)].map((row) => ({ ...row, cors: anyRegistering }))
      : []),
    ...(service.config.openid.enabled ? userinfoEndpoints(service).map((row) => ({ ...row, cors })) : []),
    ...(service.config.signing.user_keys ? [userKeyEndpoint(service)] : []),
    ...(service.config.session.enabled ? [...sessionEndpoints(service), sessionCheckEndpoint(service)] : []),
  ];
}

/** Each page could register itself first, so a list of origins would protect nothing. These endpoints read no cookie. */
function mayKnowAny({ config: { registration } }: Service): boolean {
  return registration.cimd.enabled || registration.dynamic.enabled;
}

const anyone = async () => true;

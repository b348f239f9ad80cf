import { anyOrigin, fromOrigins } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { introspectEndpoint } from './endpoints/introspect.ts';
import { jwksEndpoint } from './endpoints/jwks.ts';
import { metadataEndpoint } from './endpoints/metadata.ts';
import { revokeEndpoint } from './endpoints/revoke.ts';
import { sessionEndpoints } from './endpoints/session.ts';
import { sessionCheckEndpoint } from './endpoints/session-check.ts';
import { tokenEndpoint } from './endpoints/token.ts';
import { knowOrigins } from './redirect-origins.ts';
import type { Service } from './service.ts';

/** What programs ask: a client, a gateway, or a page of a client that runs in a browser. */
export function backChannel(service: Service): readonly Endpoint[] {
  const cors = fromOrigins(knowOrigins(service));
  return [
    { ...tokenEndpoint(service), cors },
    { ...revokeEndpoint(service), cors },
    introspectEndpoint(service),
    { ...jwksEndpoint(service), cors: anyOrigin },
    { ...metadataEndpoint(service), cors: anyOrigin },
    ...(service.config.session.enabled ? [...sessionEndpoints(service), sessionCheckEndpoint(service)] : []),
  ];
}

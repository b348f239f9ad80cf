import { type Endpoint, endpointUrl } from '../http/endpoint.ts';
import { sendDocument } from '../http/public-document.ts';
import type { Service } from '../service/service.ts';

/**
 * The transmitter's metadata (OpenID Shared Signals Framework 1.0 §7). The file says who receives events, so there is no
 * endpoint for the management of streams.
 */
export function ssfConfigurationEndpoint({ config: { issuer } }: Service): Endpoint {
  return {
    name: 'metadata',
    method: 'GET',
    absolutePaths: [ssfConfigurationPath(issuer)],
    handle: (request, reply) =>
      sendDocument(request, reply, {
        spec_version: '1_0',
        issuer,
        jwks_uri: endpointUrl(issuer, '/oauth2/jwks'),
        delivery_methods_supported: ['urn:ietf:rfc:8935'],
        default_subjects: 'ALL',
      }),
  };
}

/** §7.2.1: the well-known part comes before the path of the issuer, as in RFC 8414. */
function ssfConfigurationPath(issuer: string): string {
  return `/.well-known/ssf-configuration${new URL(issuer).pathname.replace(/\/$/, '')}`;
}

import { type AuthorizationServerMetadata, metadataUrls } from '../../oauth/metadata.ts';
import { methodsInUse } from '../client-auth.ts';
import { type Endpoint, endpointUrl } from '../endpoint.ts';
import { grants } from '../grants.ts';
import { sendDocument } from '../public-document.ts';
import type { Service } from '../service.ts';

/** RFC 8414, at every address where clients look for it. */
export function metadataEndpoint(service: Service): Endpoint {
  const document = buildMetadata(service);
  return {
    name: 'metadata',
    method: 'GET',
    absolutePaths: metadataUrls(service.config.issuer).map((url) => new URL(url).pathname),
    handle: (request, reply) => sendDocument(request, reply, document),
  };
}

/** What is switched on, and nothing else. `issuer` is byte by byte that of the configuration (RFC 8414 §3.3). */
function buildMetadata({ config, clients }: Service): AuthorizationServerMetadata {
  const { issuer } = config;
  const methods = methodsInUse(clients);
  return {
    issuer,
    token_endpoint: endpointUrl(issuer, '/oauth2/token'),
    jwks_uri: endpointUrl(issuer, '/oauth2/jwks'),
    introspection_endpoint: endpointUrl(issuer, '/oauth2/introspect'),
    revocation_endpoint: endpointUrl(issuer, '/oauth2/revoke'),
    scopes_supported: Object.keys(config.scopes),
    response_types_supported: [],
    grant_types_supported: [...grants.keys()].filter((grant) => isUsed(grant, clients)),
    token_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    revocation_endpoint_auth_methods_supported: methods,
  };
}

function isUsed(grantType: string, clients: Service['clients']): boolean {
  return [...clients.values()].some((client) => client.grantTypes.includes(grantType));
}

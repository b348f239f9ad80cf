import { type AuthorizationServerMetadata, metadataUrls } from '../../oauth/metadata.ts';
import { USER_KEY_PATH } from '../../oauth/user-key.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { type Grants, grants } from '../grants/grants.ts';
import { type Endpoint, endpointUrl } from '../http/endpoint.ts';
import { sendDocument } from '../http/public-document.ts';
import type { Service } from '../service/service.ts';
import { methodsInUse } from './client-auth.ts';

/** RFC 8414, at each path where clients look for the metadata. */
export function metadataEndpoint(service: Service, table = grants): Endpoint {
  return {
    name: 'metadata',
    method: 'GET',
    absolutePaths: metadataUrls(service.config.issuer).map((url) => new URL(url).pathname),
    handle: async (request, reply) =>
      sendDocument(request, reply, describe(service, await service.recentClients(), table)),
  };
}

/** Lists only what is switched on. `issuer` equals the configured one byte by byte (RFC 8414 §3.3). */
function describe(
  { config }: Service,
  clients: readonly RegisteredClient[],
  table: Grants,
): AuthorizationServerMetadata {
  const { issuer } = config;
  const methods = methodsInUse(clients);
  const uses = (grantType: string) => clients.some((client) => client.grantTypes.includes(grantType));
  const responseTypes = [...(uses('authorization_code') ? ['code'] : []), ...(uses('implicit') ? ['token'] : [])];
  return {
    issuer,
    ...(responseTypes.length > 0 && frontChannel(issuer, responseTypes)),
    token_endpoint: endpointUrl(issuer, '/oauth2/token'),
    jwks_uri: endpointUrl(issuer, '/oauth2/jwks'),
    ...(config.signing.user_keys && { user_key_uri_template: endpointUrl(issuer, `${USER_KEY_PATH}/{kid}`) }),
    introspection_endpoint: endpointUrl(issuer, '/oauth2/introspect'),
    revocation_endpoint: endpointUrl(issuer, '/oauth2/revoke'),
    ...(clients.some(({ events }) => events) && {
      revocation_events_endpoint: endpointUrl(issuer, '/oauth2/events'),
    }),
    scopes_supported: Object.keys(config.scopes),
    response_types_supported: responseTypes,
    grant_types_supported: [...table.keys(), 'implicit'].filter(uses),
    token_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    revocation_endpoint_auth_methods_supported: methods,
  };
}

function frontChannel(issuer: string, responseTypes: readonly string[]) {
  return {
    authorization_endpoint: endpointUrl(issuer, '/oauth2/authorize'),
    response_modes_supported: responseTypes.includes('token') ? ['query', 'fragment'] : ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

import type { ClientAuthMethod } from '../../config/words/client-auth-methods.ts';
import { REGISTRATION_SCOPE } from '../../config/words/registration-scope.ts';
import { type AuthorizationServerMetadata, metadataUrls } from '../../oauth/metadata.ts';
import { USER_KEY_PATH } from '../../oauth/user-key.ts';
import { assertionAlgorithms } from '../clients/assertion-algorithms.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { type Grants, grants } from '../grants/grants.ts';
import { type Endpoint, endpointUrl } from '../http/endpoint.ts';
import { sendDocument } from '../http/public-document.ts';
import { locales } from '../pages/pages.ts';
import type { Service } from '../service/service.ts';
import { methodsInUse } from './client-auth.ts';
import { providerMetadata } from './provider-metadata.ts';

/**
 * RFC 8414, at each path where clients look for the metadata. An OpenID Provider has a document of its own at the paths of
 * OpenID Connect Discovery.
 */
export function metadataEndpoints(service: Service, table = grants): readonly Endpoint[] {
  const { issuer, openid } = service.config;
  const paths = metadataUrls(issuer).map((url) => new URL(url).pathname);
  const isProviders = (path: string) => openid.enabled && path.includes('/.well-known/openid-configuration');
  const document = (absolutePaths: readonly string[], more: object = {}): Endpoint => ({
    name: 'metadata',
    method: 'GET',
    absolutePaths,
    handle: async (request, reply) =>
      sendDocument(request, reply, { ...describe(service, await service.recentClients(), table), ...more }),
  });
  return [
    document(paths.filter((path) => !isProviders(path))),
    ...(openid.enabled ? [document(paths.filter(isProviders), providerMetadata(service))] : []),
  ];
}

/** Lists only what is switched on. `issuer` equals the configured one byte by byte (RFC 8414 §3.3). */
function describe(
  { config }: Service,
  clients: readonly RegisteredClient[],
  table: Grants,
): AuthorizationServerMetadata {
  const { issuer } = config;
  const own = selfMade(config);
  const methods = methodsInUse(clients, own.methods);
  const uses = (grantType: string) =>
    own.grantTypes.includes(grantType) || clients.some((client) => client.grantTypes.includes(grantType));
  const responseTypes = [...(uses('authorization_code') ? ['code'] : []), ...(uses('implicit') ? ['token'] : [])];
  return {
    issuer,
    ...(responseTypes.length > 0 && frontChannel(issuer)),
    token_endpoint: endpointUrl(issuer, '/oauth2/token'),
    jwks_uri: endpointUrl(issuer, '/oauth2/jwks'),
    ...(config.signing.user_keys && { user_key_uri_template: endpointUrl(issuer, `${USER_KEY_PATH}/{kid}`) }),
    introspection_endpoint: endpointUrl(issuer, '/oauth2/introspect'),
    revocation_endpoint: endpointUrl(issuer, '/oauth2/revoke'),
    ...(clients.some(({ events }) => events) && {
      revocation_events_endpoint: endpointUrl(issuer, '/oauth2/events'),
    }),
    // Some clients request every scope of this list, and no such client may have this one.
    scopes_supported: Object.keys(config.scopes).filter((scope) => scope !== REGISTRATION_SCOPE),
    response_types_supported: responseTypes,
    grant_types_supported: [...table.keys(), 'implicit'].filter(uses),
    token_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    revocation_endpoint_auth_methods_supported: methods,
    ...(methods.includes('private_key_jwt') && {
      token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
      introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
      revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    }),
    ...(config.registration.dynamic.enabled && { registration_endpoint: endpointUrl(issuer, '/oauth2/register') }),
    ...(config.registration.cimd.enabled && { client_id_metadata_document_supported: true }),
  };
}

interface SelfMade {
  readonly methods: readonly ClientAuthMethod[];
  readonly grantTypes: readonly string[];
}

/** What a client that registers itself may use, even if no client has registered yet. */
function selfMade({ registration }: Service['config']): SelfMade {
  if (!registration.cimd.enabled && !registration.dynamic.enabled) return { methods: [], grantTypes: [] };
  return { methods: ['none', 'private_key_jwt'], grantTypes: ['authorization_code', 'refresh_token'] };
}

function frontChannel(issuer: string) {
  return {
    authorization_endpoint: endpointUrl(issuer, '/oauth2/authorize'),
    response_modes_supported: ['query', 'fragment', 'form_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: locales,
  };
}

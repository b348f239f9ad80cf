/** Authorization server metadata, RFC 8414 §2: the members that this program writes or reads. */
export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly jwks_uri?: string;
  /** An RFC 6570 template with `{kid}`, for the keys of single users. RFC 8414 does not define this member. */
  readonly user_key_uri_template?: string;
  readonly registration_endpoint?: string;
  readonly introspection_endpoint?: string;
  readonly revocation_endpoint?: string;
  /** The URL of the revocation feed for gateways. No RFC defines it. */
  readonly revocation_events_endpoint?: string;
  readonly scopes_supported?: readonly string[];
  readonly response_types_supported: readonly string[];
  readonly response_modes_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly code_challenge_methods_supported?: readonly string[];
  /** RFC 9207 §3. */
  readonly authorization_response_iss_parameter_supported?: boolean;
  /** BCP 47. */
  readonly ui_locales_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly introspection_endpoint_auth_methods_supported?: readonly string[];
  readonly revocation_endpoint_auth_methods_supported?: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly introspection_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly revocation_endpoint_auth_signing_alg_values_supported?: readonly string[];
  /** Client ID Metadata Document §6. */
  readonly client_id_metadata_document_supported?: boolean;
}

/**
 * The possible URLs of an issuer's metadata, in the order in which clients try them. RFC 8414 §3.1 inserts the well-known part
 * before the path. The second has OpenID Connect's name in the same place. OpenID Connect Discovery §4 appends the well-known
 * part.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}

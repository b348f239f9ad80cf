/** `token_endpoint_auth_method` (RFC 7591 §2, OpenID Connect Core §9), in the order of the metadata. */
export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const;

export type ClientAuthMethod = (typeof clientAuthMethods)[number];

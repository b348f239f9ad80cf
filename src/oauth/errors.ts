/**
 * All refusals of the authorization service: the stable code, the status, the `error` value, the text that the client
 * reads, and the remedy for its developer. RFC 6749 §5.2 unless noted. `docs/errors.md` is generated from this table.
 */
export interface OAuthErrorEntry {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 503;
  /** The `error` value, if it differs from the code. */
  readonly error?: string;
  readonly text: string;
  /** For `docs/errors.md`. Never sent. */
  readonly remedy: string;
}

export const oauthErrors = {
  invalid_request: {
    status: 400,
    text: 'The request is malformed.',
    remedy: 'Read `error_description`: a parameter is missing, occurs twice or is in the wrong place.',
  },
  invalid_client: {
    status: 401,
    text: 'Client authentication failed.',
    remedy: 'Send the secret either by Basic or in the form, not in both. Check that the secret was not replaced.',
  },
  /** The client gets the same error as above, which does not reveal whether the client exists. */
  unregistered_client: {
    status: 401,
    error: 'invalid_client',
    text: 'Client authentication failed.',
    remedy: 'Check that `client_id` matches the registration.',
  },
  invalid_grant: {
    status: 400,
    text: 'The grant or token is not valid for this client.',
    remedy:
      'Request a new code or token. The old code or token is unknown, used, expired or revoked, or it belongs to another client. With a code, also send the `code_verifier` of its `code_challenge`, and the exact `redirect_uri` of the authorization request.',
  },
  code_used: {
    status: 400,
    error: 'invalid_grant',
    text: 'The grant or token is not valid for this client.',
    remedy: 'Request a new code. Find out who used the old code. The service revoked all tokens of the old code.',
  },
  unauthorized_client: {
    status: 400,
    text: 'The client is not registered for this grant type.',
    remedy:
      "Add the grant to the client's `grant_types`. For the browserless exchange, set `session: true` on the client.",
  },
  unsupported_grant_type: {
    status: 400,
    text: 'The grant type is not supported.',
    remedy: 'Use a grant that `grant_types_supported` lists in the metadata.',
  },
  invalid_scope: {
    status: 400,
    text: 'The scope is malformed or exceeds what the client registered.',
    remedy: 'Request only scopes that the client registered and the user granted.',
  },
  /** RFC 8707 §2. */
  invalid_target: {
    status: 400,
    text: 'The resource is unknown.',
    remedy: 'Send a resource exactly as `resources` lists it.',
  },
  unsupported_response_type: { status: 400, text: 'The response type is not supported.', remedy: 'Use `code`.' },
  access_denied: {
    status: 400,
    text: 'The user denied the request.',
    remedy: 'Let the user try again.',
  },
  /** OpenID Connect Core §3.1.2.6. */
  login_required: {
    status: 400,
    text: 'The user must log in, and prompt=none forbids the login page.',
    remedy: 'Send the browser to the authorization endpoint, without `prompt=none`.',
  },
  consent_required: {
    status: 400,
    text: 'The user must consent, and prompt=none forbids the consent page.',
    remedy: 'Send the browser to the authorization endpoint, without `prompt=none`.',
  },
  interaction_required: {
    status: 400,
    text: 'The user must confirm each request of this client, and prompt=none forbids the page.',
    remedy: 'Send the browser to the authorization endpoint, without `prompt=none`.',
  },
  request_not_supported: {
    status: 400,
    text: 'Request objects are not supported.',
    remedy: 'Send plain parameters instead of `request`.',
  },
  request_uri_not_supported: {
    status: 400,
    text: 'Request objects by reference are not supported.',
    remedy: 'Send plain parameters instead of `request_uri`.',
  },
  /** OpenID Connect Core §3.1.2.6. */
  registration_not_supported: {
    status: 400,
    text: 'The service does not support registration in an authorization request.',
    remedy: 'Register the client in advance.',
  },
  /** OpenID Connect Core Error Code unmet_authentication_requirements 1.0. */
  unmet_authentication_requirements: {
    status: 400,
    text: 'This service cannot log the user in with the requested acr.',
    remedy: 'Request an `acr` that `acr_values_supported` lists, or do not mark `acr` as an essential claim.',
  },
  /** RFC 6750 §3.1. */
  invalid_token: {
    status: 401,
    text: 'The access token is unknown, expired or revoked.',
    remedy: 'Get a new access token.',
  },
  insufficient_scope: {
    status: 403,
    text: 'The access token does not have the scope openid.',
    remedy: 'Request the scope `openid`.',
  },
  /** The entries up to `login_refused` never reach a client: the browser shows a page. */
  unknown_client: {
    status: 400,
    error: 'invalid_request',
    text: 'The client is not registered.',
    remedy: 'Check that `client_id` matches the registration.',
  },
  /** RFC 7591 §3.2.2. */
  invalid_redirect_uri: {
    status: 400,
    text: 'A redirect address is not acceptable.',
    remedy:
      'Read `error_description`. With `application_type: native`, a client may register loopback addresses and addresses with a URI scheme of the app, such as `com.example.app:/callback`.',
  },
  invalid_client_metadata: {
    status: 400,
    text: 'The metadata of the client are not acceptable.',
    remedy: 'Read `error_description`: it names the invalid member.',
  },
  /** Client ID Metadata Document §5.1. */
  invalid_client_document: {
    status: 400,
    error: 'invalid_client',
    text: 'The metadata document of the client is not acceptable.',
    remedy:
      'Read the detail on the page: it names the fault of the client id or of its document. `registration.cimd` limits the URL and the size of the document. The service reads the document again after a minute.',
  },
  invalid_client_host: {
    status: 400,
    error: 'invalid_client',
    text: 'The host of the client id did not answer.',
    remedy:
      'Make the metadata document available at the client id. The service reads the document again after a minute.',
  },
  redirect_refused: {
    status: 400,
    error: 'invalid_request',
    text: 'The redirect address is not registered for the client.',
    remedy: 'Register the address in `redirect_uris` exactly as the client sends it.',
  },
  transaction_expired: {
    status: 400,
    error: 'invalid_request',
    text: 'The page has expired or was already used.',
    remedy: 'Go back to the application and start again.',
  },
  form_forged: {
    status: 403,
    error: 'invalid_request',
    text: 'The form does not come from a page of this service.',
    remedy:
      'Allow cookies, and reload the page. A proxy in front of the service must forward the headers `Origin` and `Cookie`.',
  },
  login_refused: {
    status: 403,
    error: 'access_denied',
    text: 'The username or password is wrong.',
    remedy: 'Enter the username and the password again.',
  },
  /** For a gateway without the permission in the registration of clients. */
  follower_refused: {
    status: 403,
    error: 'access_denied',
    text: 'The client is not allowed to follow the revocation feed.',
    remedy: 'Set `events: true` on the client.',
  },
  too_many_attempts: {
    status: 429,
    error: 'temporarily_unavailable',
    text: 'Too many failed attempts; try again later.',
    remedy:
      'Wait for the time in `Retry-After`, then send the right secret or password. `login.max_failures` is the limit.',
  },
  /** RFC 6585 §4. A redirect has its own status, so a client that gets a redirect sees only `error`. */
  too_many_requests: {
    status: 429,
    error: 'temporarily_unavailable',
    text: 'Too many requests; try again later.',
    remedy:
      'Wait for the time in `Retry-After`. Use each token until it expires. Do not request a new token for each request. `tokens.max_a_minute` sets the limits for tokens, session keys and codes.',
  },
  too_many_registrations: {
    status: 429,
    error: 'temporarily_unavailable',
    text: 'Too many registrations; try again later.',
    remedy:
      'Wait for the time in `Retry-After`. Register once, and keep the client id. `registration.dynamic.per_address` is the limit.',
  },
  /** A client that publishes its metadata or its keys cannot be authenticated without its host. */
  client_host_unanswered: {
    status: 503,
    error: 'temporarily_unavailable',
    text: 'The host of the client did not answer.',
    remedy:
      'Make the metadata document and the key set of the client available. Retry after the time in `Retry-After`.',
  },
  temporarily_unavailable: {
    status: 503,
    text: 'The service is temporarily unavailable; try again later.',
    remedy: 'Retry after the time in `Retry-After`. The log names the part that failed.',
  },
  server_error: { status: 500, text: 'The service failed.', remedy: 'Search the log for the `request_id`.' },
  method_not_allowed: {
    status: 405,
    error: 'invalid_request',
    text: 'The endpoint does not support this method.',
    remedy: 'Use a method that `Allow` lists.',
  },
  content_too_large: {
    status: 413,
    error: 'invalid_request',
    text: 'The request body is too large.',
    remedy: 'Send at most 64 KiB.',
  },
  not_found: {
    status: 404,
    error: 'invalid_request',
    text: 'No endpoint has this path.',
    remedy: 'Take the address of the endpoint from the metadata of the service.',
  },
  unknown_key: {
    status: 404,
    error: 'invalid_request',
    text: 'The key does not exist or was removed.',
    remedy:
      "Reject the token that names this key: the user's key was rotated, or it never existed. The issuer's keys are at `jwks_uri`.",
  },
  keys_refused: {
    status: 403,
    error: 'unauthorized_client',
    text: 'The client may not read the keys of users.',
    remedy:
      'If the client verifies tokens, set `keys: true` on the client. Anyone who has such a key can also issue tokens for its user.',
  },
  key_in_clear: {
    status: 403,
    error: 'invalid_request',
    text: 'The service sends secret keys only over TLS or to a program on the same machine.',
    remedy:
      'Request the key through the proxy that ends TLS. List the proxy in `trusted_proxies`, and let it set `X-Forwarded-Proto`.',
  },
} as const satisfies Record<string, OAuthErrorEntry>;

export type OAuthErrorCode = keyof typeof oauthErrors;

export interface OAuthErrorOptions {
  /** Replaces the text of the table. The client receives it. */
  readonly description?: string;
  /** For the log. Never sent. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly description: string;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthErrorCode, options: OAuthErrorOptions = {}) {
    super(code);
    this.name = 'OAuthError';
    this.code = code;
    this.status = oauthErrors[code].status;
    this.description = describable(options.description ?? oauthErrors[code].text);
    this.detail = options.detail;
    this.headers = options.headers ?? {};
  }

  /** The body of the answer, RFC 6749 §5.2. */
  body(): { error: string; error_description: string } {
    const entry: OAuthErrorEntry = oauthErrors[this.code];
    return { error: entry.error ?? this.code, error_description: this.description };
  }
}

/** `error_description` allows only %x20-21 / %x23-5B / %x5D-7E (RFC 6749 §5.2). */
function describable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 200);
}

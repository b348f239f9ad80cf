/**
 * Every way in which the gateway does not forward a request: its stable code, its status, and the sentence that the
 * client reads. `docs/errors.md` is generated from this table. Programs branch on the code, never on the sentence.
 */
export interface CodeEntry {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 417 | 429 | 431 | 500 | 502 | 503 | 504;
  /** Where the message ends is in doubt, so nothing behind it is read (RFC 9112 §6.1). */
  readonly closes?: true;
  /** RFC 6750 §3.1; present where the challenge carries an error. */
  /** RFC 7616 §3.3: the credentials were right, and only the nonce is to be changed. */
  readonly stale?: true;
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  /** ASCII without `"` and `\`: it is also the `error_description` of a challenge. */
  readonly text: string;
}

const targets = {
  target_malformed: { status: 400, text: 'The request target is not a path that RFC 3986 allows.' },
  target_dot_segment: { status: 400, text: 'The path contains a dot segment, plain or encoded.' },
  target_empty_segment: { status: 400, text: 'The path contains two slashes in a row.' },
  target_backslash: { status: 400, text: 'The path contains a backslash, plain or encoded.' },
  target_null: { status: 400, text: 'The path contains an encoded NUL.' },
  target_percent_encoding: { status: 400, text: 'The path contains broken or double percent-encoding.' },
  target_fragment: { status: 400, text: 'The request target contains a fragment.' },
  target_encoded_slash: { status: 400, text: 'The path contains an encoded slash, which this route does not take.' },
  target_path_parameter: { status: 400, text: 'The path contains a path parameter, which this route does not take.' },
  target_other_host: { status: 400, text: 'The request target names another host than the Host header.' },
  host_invalid: { status: 400, text: 'The request needs exactly one valid Host header.' },
} as const satisfies Record<string, CodeEntry>;

const framing = {
  message_malformed: { status: 400, closes: true, text: 'The request is not well-formed HTTP/1.1.' },
  transfer_encoding_invalid: { status: 400, closes: true, text: 'The only transfer coding taken is chunked, once.' },
  headers_too_large: { status: 431, text: 'The header section is larger than this gateway takes.' },
  headers_too_many: { status: 431, text: 'The request has more header lines than this gateway takes.' },
  request_timeout: { status: 408, text: 'The request did not arrive in time.' },
  expectation_failed: { status: 417, text: 'The only expectation met is 100-continue.' },
  body_too_large: { status: 413, text: 'The request body is larger than this route takes.' },
  form_too_large: { status: 413, text: 'The form is larger than this route reads for its access_token.' },
  integrity_too_large: { status: 413, text: 'The request body is larger than this route checks for its integrity.' },
} as const satisfies Record<string, CodeEntry>;

const routing = {
  route_not_found: { status: 404, text: 'No route matches this request.' },
  method_not_allowed: { status: 405, text: 'The route does not take this method.' },
  match_repeated: { status: 400, text: 'A header or query parameter that chooses the route occurs more than once.' },
} as const satisfies Record<string, CodeEntry>;

/** Of a proxy that asks whether a request passes, and of what it asks. */
const asking = {
  caller_untrusted: { status: 403, text: 'Only the proxies that this gateway trusts may ask for decisions.' },
  question_unclear: { status: 500, text: 'The proxy in front does not say which request it asks about.' },
  answer_undeliverable: {
    status: 404,
    text: 'The gateway answers this request itself, and the proxy in front has to send it there.',
  },
} as const satisfies Record<string, CodeEntry>;

const credentials = {
  credential_missing: { status: 401, text: 'This route needs credentials of a kind that its challenges name.' },
  credential_malformed: {
    status: 400,
    error: 'invalid_request',
    text: 'The access token is not of the form that RFC 6750 gives it.',
  },
  credential_repeated: { status: 400, error: 'invalid_request', text: 'The request carries more than one credential.' },
  authorization_malformed: {
    status: 400,
    text: 'The Authorization field is not of the form that its scheme gives it.',
  },
  transport_insecure: { status: 403, text: 'This route takes a password over TLS only.' },
  password_wrong: { status: 401, text: 'The user name or the password is wrong.' },
  digest_mismatch: { status: 401, text: 'The Digest credentials do not answer a challenge of this route.' },
  digest_uri: { status: 400, text: 'The uri of the Digest credentials is not the request target.' },
  nonce_invalid: { status: 401, text: 'The nonce does not come from this gateway.' },
  nonce_stale: { status: 401, stale: true, text: 'The nonce has ended; the challenge has a new one.' },
  nonce_replayed: {
    status: 401,
    stale: true,
    text: 'The nonce count was used before; the challenge has a new nonce.',
  },
  token_malformed: { status: 401, error: 'invalid_token', text: 'The access token is malformed.' },
  token_algorithm: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is signed with an algorithm that is not accepted.',
  },
  token_signature: { status: 401, error: 'invalid_token', text: 'The signature of the access token is not valid.' },
  token_type: { status: 401, error: 'invalid_token', text: 'The token is not an access token of an accepted type.' },
  token_issuer: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token comes from an authorization server that this route does not accept.',
  },
  token_expired: { status: 401, error: 'invalid_token', text: 'The access token expired.' },
  token_not_yet_valid: { status: 401, error: 'invalid_token', text: 'The access token is not valid yet.' },
  token_lifetime: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token lives longer than this gateway takes.',
  },
  token_audience: { status: 401, error: 'invalid_token', text: 'The access token is for another audience.' },
  token_inactive: { status: 401, error: 'invalid_token', text: 'The access token is unknown, expired or revoked.' },
  token_revoked: { status: 401, error: 'invalid_token', text: 'The access token was revoked.' },
  token_bound: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is bound to a key whose possession was not shown.',
  },
} as const satisfies Record<string, CodeEntry>;

const throttling = {
  login_throttled: { status: 429, text: 'Too many wrong passwords; Retry-After says when the next one is looked at.' },
  rate_limited: { status: 429, text: 'Too many requests on this route; Retry-After says when the next one passes.' },
} as const satisfies Record<string, CodeEntry>;

const permission = {
  scope_insufficient: {
    status: 403,
    error: 'insufficient_scope',
    text: 'The access token lacks a scope that this request needs.',
  },
  condition_failed: {
    status: 403,
    text: 'A condition of this route does not hold for the access token or the request.',
  },
  identity_unrepresentable: { status: 403, text: 'A claim of the access token cannot be written as a header.' },
} as const satisfies Record<string, CodeEntry>;

const outages = {
  authorization_server_unavailable: { status: 503, text: 'The access token cannot be verified at the moment.' },
  bodies_saturated: { status: 503, text: 'Too many request bodies are being checked at the moment.' },
  counters_unavailable: { status: 503, text: 'How often a nonce was used cannot be known at the moment.' },
  passwords_saturated: { status: 503, text: 'Too many passwords are being checked at the moment.' },
  users_unavailable: { status: 503, text: 'Who the user is cannot be looked up at the moment.' },
  upstream_saturated: { status: 503, text: 'Too many requests wait for the upstream.' },
  upstream_unhealthy: { status: 503, text: 'The upstream is not well at the moment.' },
  upstream_unreachable: { status: 502, text: 'The upstream cannot be reached.' },
  upstream_invalid: { status: 502, text: 'The upstream did not answer with valid HTTP.' },
  upstream_credentials_refused: { status: 502, text: 'The upstream does not take the credentials of this gateway.' },
  upstream_unauthenticated: { status: 502, text: 'The upstream did not prove that it knows the password.' },
  upstream_protection_unmet: {
    status: 502,
    text: 'The upstream wants the hash of the request body first, and this body is too long for that.',
  },
  upstream_nonce_stale: {
    status: 503,
    text: 'The upstream asked for a new nonce, and this request is not sent again; Retry-After says when to repeat it.',
  },
  upstream_timeout: { status: 504, text: 'The upstream did not answer in time.' },
  internal_error: { status: 500, text: 'The gateway failed; the request id leads to the log.' },
} as const satisfies Record<string, CodeEntry>;

export const codeGroups = { targets, framing, routing, asking, credentials, throttling, permission, outages } as const;

export const codes = {
  ...targets,
  ...framing,
  ...routing,
  ...asking,
  ...credentials,
  ...throttling,
  ...permission,
  ...outages,
};

export type Code = keyof typeof codes;
export type CredentialCode = keyof typeof credentials;

export function isCode(text: string): text is Code {
  return Object.hasOwn(codes, text);
}

export function entry(code: Code): CodeEntry {
  return codes[code];
}

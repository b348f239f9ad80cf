/** The step in which a request ended: extract → throttle → verify → permit → forward, or an earlier check. */
export type Step = 'message' | 'target' | 'route' | 'extract' | 'throttle' | 'verify' | 'permit' | 'forward';

/**
 * Every reason why the gateway does not forward a request. A row has the stable code, the status, the sentence for the
 * client, the step and the remedy. `docs/errors.md`, `gatehouse why` and `gatehouse explain` read this table. Programs
 * branch on the code, never on the sentence.
 */
export interface CodeEntry {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 417 | 429 | 431 | 500 | 502 | 503 | 504;
  /** The end of the message is uncertain, so the gateway reads nothing after it (RFC 9112 §6.1). */
  readonly closes?: true;
  /** RFC 7616 §3.3: the credentials were correct, and only the nonce must change. */
  readonly stale?: true;
  /** The client may have guessed the credentials. Such failures count, and too many cause a 429. */
  readonly guess?: true;
  /** RFC 6750 §3.1. Present if the challenge contains an error. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  /** ASCII without `"` and `\`, because it is also the `error_description` of a challenge. */
  readonly text: string;
  readonly step: Step;
  /** The step at which `gatehouse explain` shows the code, because its steps are finer. Undefined: at `step`. */
  readonly explainedAt?: 'host' | 'route' | 'forward';
  /**
   * The answer also contains the detail, which the gateway words itself and which says what is wrong with the request's
   * form. `credential_missing` does not have this: a client without credentials learns only that it needs them (RFC
   * 6750 §3.1).
   */
  readonly tellsDetail?: true;
  /** The JSON-RPC error, if a Model Context Protocol message is refused. Undefined: -32600, or -32603 for an outage. */
  readonly rpc?: number;
  /** What the client or the gateway's operator can do. */
  readonly remedy: string;
}

const UPSTREAM_KEPT = 'Check the upstream: `gatehouse doctor` connects to it. The log names the URL and the fault.';
const WAIT = 'Retry after the time in Retry-After.';
const SHARED = 'If many clients share one address, add their proxy to `trusted_proxies`, or raise `limits.share`.';

const targets = {
  target_malformed: {
    status: 400,
    text: 'The request target is not a path that RFC 3986 allows.',
    step: 'target',
    remedy: 'Send a path as the request target, and percent-encode this path once.',
  },
  target_dot_segment: {
    status: 400,
    text: 'The path contains a dot segment, plain or encoded.',
    step: 'target',
    remedy: 'Send the resolved path, without `.` and `..`.',
  },
  target_empty_segment: {
    status: 400,
    text: 'The path contains two slashes in a row.',
    step: 'target',
    remedy: 'Send one slash. A base URL that ends with a slash often causes two slashes.',
  },
  target_backslash: {
    status: 400,
    text: 'The path contains a backslash, plain or encoded.',
    step: 'target',
    remedy: 'Send `/` instead. A path must not contain a backslash.',
  },
  target_null: {
    status: 400,
    text: 'The path contains an encoded NUL.',
    step: 'target',
    remedy: 'Remove `%00`. A path must not contain NUL.',
  },
  target_control: {
    status: 400,
    text: 'The path contains an encoded control character.',
    step: 'target',
    remedy: 'Remove the character. A path must not contain control characters.',
  },
  target_lookalike: {
    status: 400,
    text: 'The path contains a character that some servers read as a slash.',
    step: 'target',
    remedy: 'Send `/`. The gateway rejects characters that look like a slash.',
  },
  target_ambiguous: {
    status: 400,
    text: 'The path matches one route before decoding and another route after decoding.',
    step: 'target',
    explainedAt: 'route',
    remedy:
      'Do not percent-encode characters that need no encoding, such as `:` and `@`. `gatehouse explain` names both routes.',
  },
  target_percent_encoding: {
    status: 400,
    text: 'The path contains broken or double percent-encoding.',
    step: 'target',
    remedy: 'Percent-encode the path exactly once.',
  },
  target_fragment: {
    status: 400,
    text: 'The request target contains a fragment.',
    step: 'target',
    remedy: 'Remove `#` and the text after it. A fragment is for the client only.',
  },
  target_encoded_slash: {
    status: 400,
    text: 'The path contains an encoded slash, which this route does not accept.',
    step: 'target',
    explainedAt: 'route',
    remedy: 'Send `/`. If the API reads %2F as part of a name, set `encoded_slashes: keep` on the route.',
  },
  target_path_parameter: {
    status: 400,
    text: 'The path contains a path parameter, which this route does not accept.',
    step: 'target',
    explainedAt: 'route',
    remedy:
      'Remove the path parameter, which begins with `;` or `%3b`. If the API reads path parameters, set `path_parameters: keep` on the route.',
  },
  target_other_host: {
    status: 400,
    text: 'The request target names a different host than the Host header.',
    step: 'target',
    explainedAt: 'host',
    remedy: 'Send the same host in both places, or in Host only.',
  },
  host_invalid: {
    status: 400,
    text: 'The request needs exactly one valid Host header.',
    step: 'target',
    explainedAt: 'host',
    remedy:
      'Send one Host header with the name of the host. Add the port if it is not the default port. If the file sets `host: forwarded`, the proxy must send one host in X-Forwarded-Host.',
  },
} as const satisfies Record<string, CodeEntry>;

const framing = {
  message_malformed: {
    status: 400,
    closes: true,
    text: 'The request is not well-formed HTTP/1.1.',
    step: 'message',
    remedy:
      'Check the client and each proxy between the client and the gateway. The log does not name the fault. If the gateway cannot read the bytes as a request, the log line has only the code and the address.',
  },
  transfer_encoding_invalid: {
    status: 400,
    closes: true,
    text: 'The gateway accepts only the transfer coding chunked, and only once.',
    step: 'message',
    remedy:
      'Send `Transfer-Encoding: chunked` once, without another transfer coding. Or send Content-Length without Transfer-Encoding.',
  },
  headers_too_large: {
    status: 431,
    text: 'The header section is larger than this gateway accepts.',
    step: 'message',
    remedy: 'Send smaller headers, or raise `limits.header_size`. The largest headers are often cookies.',
  },
  headers_too_many: {
    status: 431,
    text: 'The request has more header lines than this gateway accepts.',
    step: 'message',
    remedy: 'Send fewer headers, or raise `limits.header_count`.',
  },
  request_timeout: {
    status: 408,
    text: 'The request did not arrive in time.',
    step: 'message',
    remedy: 'Retry. If clients are slow, raise `limits.headers_timeout` or lower `limits.body_rate.bytes`.',
  },
  expectation_failed: {
    status: 417,
    text: 'The only supported expectation is 100-continue.',
    step: 'message',
    remedy: 'Send `Expect: 100-continue`, or no Expect header.',
  },
  body_too_large: {
    status: 413,
    text: 'The request body is larger than this route accepts.',
    step: 'message',
    explainedAt: 'route',
    remedy: 'Send a smaller body, or raise `limits.body` on the route.',
  },
  form_too_large: {
    status: 413,
    text: 'The form is too large. This route reads an access_token only from smaller forms.',
    step: 'extract',
    remedy: 'Send the token in the Authorization header, or raise `limits.form_body`.',
  },
  integrity_too_large: {
    status: 413,
    text: "The request body is too large for this route's integrity check.",
    step: 'extract',
    remedy: 'Answer the challenge with `qop=auth`, or send a smaller body.',
  },
} as const satisfies Record<string, CodeEntry>;

const routing = {
  route_not_found: {
    status: 404,
    text: 'No route matches this request.',
    step: 'route',
    remedy:
      'Check the host, the path, the query and the headers of the request. `gatehouse routes` lists the routes, and `gatehouse explain` says why no route matches.',
  },
  method_not_allowed: {
    status: 405,
    text: 'The route does not accept this method.',
    step: 'route',
    remedy:
      'Use a method from the Allow header, or add the method of the request to `methods` of the route. In `methods`, GET does not include HEAD.',
  },
  origin_refused: {
    status: 403,
    text: 'Pages of this origin may not call this route.',
    step: 'route',
    remedy:
      "If the page may call this route, add its origin to `origins` of the route. Send at most one Origin header. The log names the page's origin.",
  },
  connection_names_decisive: {
    status: 400,
    text: 'The Connection header names a header that decides about this request.',
    step: 'route',
    remedy:
      'Remove the header name from `Connection`. The gateway does not forward a header that `Connection` names, so the decision must not depend on this header. The log names the header.',
  },
  match_repeated: {
    status: 400,
    text: 'A header or query parameter that decides about the request occurs more than once.',
    step: 'route',
    remedy:
      'Send the header or query parameter once, in one spelling. `X_Env` counts as `X-Env`; `op[]`, `OP` and `;op=` count as `op`.',
  },
} as const satisfies Record<string, CodeEntry>;

/** The decision endpoint: faults of the proxy's request, and of the client's request in it. */
const asking = {
  caller_untrusted: {
    status: 403,
    text: 'Only the proxies that this gateway trusts may ask for decisions.',
    step: 'message',
    remedy: "Add the proxy's address to `trusted_proxies`.",
  },
  question_unclear: {
    status: 500,
    text: 'The proxy does not say which request it asks about.',
    step: 'message',
    remedy: 'Configure the proxy as its cookbook page shows. The log names the fault.',
  },
  form_token_stays: {
    status: 403,
    text: 'The proxy asked for a decision and forwards the form itself, so the gateway cannot remove the token from the form.',
    step: 'extract',
    remedy:
      'Send the token in the Authorization header, or let the proxy forward requests for this route to the gateway.',
  },
  answer_undeliverable: {
    status: 404,
    text: 'The gateway answers this request itself, so the proxy must forward it to the gateway.',
    step: 'message',
    remedy: "Forward preflights and requests for metadata to the gateway, as the proxy's cookbook page shows.",
  },
} as const satisfies Record<string, CodeEntry>;

const credentials = {
  credential_missing: {
    status: 401,
    text: 'No credentials sent. WWW-Authenticate lists what this route accepts.',
    step: 'extract',
    remedy:
      'Send `Authorization: Bearer …` with a token, or the credential that the challenge names. The reason in the ticket and in the log says what the request contained.',
  },
  credential_malformed: {
    status: 400,
    error: 'invalid_request',
    text: 'The access token does not have the form that RFC 6750 requires.',
    tellsDetail: true,
    step: 'extract',
    remedy:
      'Send `Authorization: Bearer`, one space and the token, without quotes. The reason says which part is wrong.',
  },
  credential_repeated: {
    status: 400,
    error: 'invalid_request',
    text: 'The request carries more than one credential.',
    step: 'extract',
    remedy: 'Send exactly one credential, for example a token in the Authorization header.',
  },
  credential_misspelt: {
    status: 400,
    text: 'The header or parameter of the credential has a spelling that servers read in different ways.',
    step: 'extract',
    remedy:
      'Write the header or parameter exactly as the challenge names it. `X_API_Key` is another spelling of `X-API-Key`, and `;key=` is another spelling of `key`.',
  },
  authorization_malformed: {
    status: 400,
    text: 'The Authorization header does not have the form that its scheme requires.',
    step: 'extract',
    remedy: 'Use a library to write the header. The log names the fault.',
  },
  transport_insecure: {
    status: 403,
    text: 'This route accepts a password only over TLS or from a loopback address.',
    step: 'extract',
    remedy: 'Use https. If a proxy ends TLS, add its address to `trusted_proxies`.',
  },
  password_wrong: {
    status: 401,
    guess: true,
    text: 'The username or the password is wrong.',
    step: 'verify',
    remedy:
      'Enter the username and the password again. A new user must be in the file or database that the route names.',
  },
  api_key_invalid: {
    status: 401,
    guess: true,
    text: 'The API key is unknown.',
    step: 'verify',
    remedy:
      'Send the whole key, unchanged. A new key must be in the file or database that the route names in `api_key: { keys }`.',
  },
  api_key_expired: {
    status: 401,
    text: 'The API key expired.',
    step: 'verify',
    remedy: 'Create a new key with `gatehouse api-key rotate` or `gatehouse api-key create`.',
  },
  digest_mismatch: {
    status: 401,
    text: 'The Digest credentials do not answer a challenge of this route.',
    step: 'verify',
    remedy: 'Answer the latest challenge, with its realm, algorithm and qop.',
  },
  digest_uri: {
    status: 400,
    text: 'The uri of the Digest credentials is not the request target.',
    step: 'verify',
    remedy:
      'Send the exact request target as `uri`. If a trusted proxy rewrites the target, set `digest.uri_from` on the route.',
  },
  nonce_invalid: {
    status: 401,
    text: 'This gateway did not issue the nonce.',
    step: 'verify',
    remedy: 'Answer the new challenge. If there are several gateways, give them the same `nonce_keys`.',
  },
  nonce_stale: {
    status: 401,
    stale: true,
    text: 'The nonce expired. The challenge has a new nonce.',
    step: 'verify',
    remedy: 'Answer the new challenge with the same password. The user does not have to enter the password again.',
  },
  nonce_replayed: {
    status: 401,
    stale: true,
    text: 'The nonce count was used before. The challenge has a new nonce.',
    step: 'verify',
    remedy: 'Answer the new challenge, and increase `nc` with each request.',
  },
  token_malformed: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is malformed.',
    step: 'verify',
    remedy:
      'Send the whole token, unchanged. If the token is opaque, the gateway needs `client_id` and `client_secret` to introspect it.',
  },
  token_algorithm: {
    status: 401,
    error: 'invalid_token',
    text: 'The gateway does not accept the signature algorithm of the access token.',
    step: 'verify',
    remedy:
      'Configure the authorization server to sign with one of `algorithms`, or add its algorithm to `algorithms`.',
  },
  token_signature: {
    status: 401,
    error: 'invalid_token',
    text: 'The signature of the access token is not valid.',
    step: 'verify',
    remedy:
      "Get a new token. If the gateway rejects all tokens, compare the server's keys with the output of `gatehouse doctor`.",
  },
  token_type: {
    status: 401,
    error: 'invalid_token',
    text: 'The token is not an access token of an accepted type.',
    step: 'verify',
    remedy:
      'Send an access token. ID tokens, logout tokens and security event tokens (JWTs with an object `events`) are not access tokens. If the access token has another `typ`, add this type to `typ` under `authorization_servers` in the file. If you add `JWT` or `absent`, also set `audience` or `required_claims`.',
  },
  token_issuer: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token comes from an authorization server that this route does not accept.',
    step: 'verify',
    remedy:
      "Compare the token's `iss` with `issuer`, byte by byte, including a slash at the end. Check `authorization_servers` of the route.",
  },
  token_expired: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token expired.',
    step: 'verify',
    remedy: 'Get a new token.',
  },
  token_not_yet_valid: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is not valid yet.',
    step: 'verify',
    remedy:
      'Correct the clock of the gateway or of the authorization server. `gatehouse doctor` compares the two clocks.',
  },
  token_lifetime: {
    status: 401,
    error: 'invalid_token',
    text: "The access token's lifetime is longer than this gateway accepts.",
    step: 'verify',
    remedy: 'Configure the server to issue tokens with a shorter lifetime, or raise `max_token_lifetime`.',
  },
  token_audience: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is for another audience.',
    step: 'permit',
    remedy:
      "Request a token for this API, with the parameter `resource` or `audience`. Or correct `audience` in the gateway's file.",
  },
  token_inactive: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is unknown, expired or revoked.',
    step: 'verify',
    remedy:
      "Get a new token. If the gateway also rejects new tokens, another server issued these tokens, or the gateway's client lacks `introspect: true`.",
  },
  token_revoked: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token was revoked.',
    step: 'verify',
    remedy:
      'Get a new token. The `reason` in the log says what ended the old token. The log of the authorization server says who ended it.',
  },
  token_bound: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is bound to a key. This gateway accepts only tokens without a key binding.',
    step: 'verify',
    remedy: 'Request a token without a key binding. This gateway cannot check whether the caller has the key.',
  },
} as const satisfies Record<string, CodeEntry>;

const throttling = {
  login_throttled: {
    status: 429,
    text: 'Too many wrong passwords or API keys. Retry after the time in Retry-After.',
    step: 'verify',
    remedy: WAIT,
  },
  rate_limited: {
    status: 429,
    text: 'Too many requests on this route. Retry after the time in Retry-After.',
    step: 'throttle',
    remedy: `${WAIT} If the limit is too low, raise \`rate_limit\` of the route.`,
  },
} as const satisfies Record<string, CodeEntry>;

const permission = {
  scope_insufficient: {
    status: 403,
    error: 'insufficient_scope',
    text: 'The access token lacks a scope that this request needs.',
    step: 'permit',
    remedy: 'Request the scope that the challenge names. The client must be registered for this scope.',
  },
  condition_failed: {
    status: 403,
    text: 'The access token or the request does not meet a condition of this route.',
    step: 'permit',
    remedy:
      "Check the route's `claims` and `when`. `gatehouse explain` with the token shows the values that these conditions read.",
  },
  identity_unrepresentable: {
    status: 403,
    text: 'The gateway cannot send a claim of the access token as a header.',
    step: 'permit',
    explainedAt: 'forward',
    remedy:
      'Remove the claim from `identity_headers`, or configure the authorization server to issue the claim without control characters.',
  },
} as const satisfies Record<string, CodeEntry>;

const mcp = {
  mcp_message_invalid: {
    status: 400,
    text: 'The body is not a message that every JSON reader understands in the same way.',
    step: 'permit',
    tellsDetail: true,
    remedy: 'Send one JSON-RPC message in UTF-8. No name may occur twice in an object.',
  },
  mcp_header_mismatch: {
    status: 400,
    text: 'A header does not match the body of the message.',
    step: 'permit',
    tellsDetail: true,
    rpc: -32020,
    remedy:
      'Copy the values of the headers from the body. For Mcp-Param headers, list the tools first and read their schemas.',
  },
  mcp_version_unsupported: {
    status: 400,
    text: 'The route does not accept this protocol version.',
    step: 'permit',
    rpc: -32022,
    remedy: 'Send a version from the list in the answer, or add the version to `mcp.versions`.',
  },
  mcp_operation_denied: {
    status: 403,
    text: 'No token gives access to this operation.',
    step: 'permit',
    remedy: 'Use another tool, prompt or resource, or change `mcp.deny` in the file.',
  },
  mcp_name_unclear: {
    status: 400,
    text: 'Servers can read the name or URI in several ways, and different rules apply to these readings.',
    step: 'permit',
    remedy: 'Send the name as the server lists it, without dot segments and without unnecessary percent-encoding.',
  },
  mcp_session_unknown: {
    status: 404,
    text: 'This session or event does not belong to the caller.',
    step: 'permit',
    remedy:
      'Open a new session with initialize. Set `session_keys`, so that sessions stay valid after a restart of the gateway.',
  },
  mcp_media_type: {
    status: 415,
    text: 'A message must be application/json in UTF-8, without compression.',
    step: 'permit',
    remedy: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  mcp_message_too_large: {
    status: 413,
    text: 'The message is longer than the route accepts.',
    step: 'route',
    remedy: 'Send a smaller message, or raise `mcp.body` of the route.',
  },
  mcp_body_unseen: {
    status: 403,
    text: 'The proxy asked for a decision, but the gateway itself must forward the messages of this route.',
    step: 'permit',
    remedy: 'Let the proxy forward requests for this route to the gateway, instead of asking for decisions.',
  },
  mcp_answer_unreadable: {
    status: 502,
    text: 'The gateway cannot filter the answer of the upstream.',
    step: 'forward',
    remedy:
      'The log names the reason. If a list is too long, raise `mcp.body`. With `mcp.filter_lists: false`, the gateway does not filter answers.',
  },
} as const satisfies Record<string, CodeEntry>;

const outages = {
  authorization_server_unavailable: {
    status: 503,
    text: 'The gateway cannot verify the access token at the moment.',
    step: 'verify',
    remedy: `${WAIT} The log names the server and the failure. \`gatehouse doctor\` tests the server.`,
  },
  bodies_saturated: {
    status: 503,
    text: 'The gateway has no memory for another request body or answer at the moment.',
    step: 'extract',
    remedy: `${WAIT} ${SHARED}`,
  },
  counters_unavailable: {
    status: 503,
    text: 'The gateway cannot check the nonce count at the moment.',
    step: 'verify',
    remedy: `${WAIT} Check that the Redis in \`counters\` answers.`,
  },
  passwords_saturated: {
    status: 503,
    text: 'The gateway cannot check another password at the moment.',
    step: 'verify',
    remedy: WAIT,
  },
  users_unavailable: {
    status: 503,
    text: 'The gateway cannot reach the user store at the moment.',
    step: 'verify',
    remedy: `${WAIT} Check that the database of the users answers.`,
  },
  upstream_saturated: {
    status: 503,
    text: 'Too many requests wait for the upstream.',
    step: 'forward',
    remedy: `${WAIT} If the API can handle more requests, raise \`max_connections\`. If \`gatehouse doctor\` reports the limit of open files, also raise this limit. ${SHARED}`,
  },
  upstream_unhealthy: {
    status: 503,
    text: 'No healthy upstream is available.',
    step: 'forward',
    remedy: UPSTREAM_KEPT,
  },
  upstream_unreachable: {
    status: 502,
    text: 'The gateway cannot reach the upstream.',
    step: 'forward',
    remedy: UPSTREAM_KEPT,
  },
  upstream_invalid: {
    status: 502,
    text: 'The upstream did not answer with valid HTTP.',
    step: 'forward',
    remedy:
      'The log says what is wrong with the answer. If the upstream closed the connection before it answered, look at the log of the API. If its URL is `http:`, does the port expect https?',
  },
  upstream_credentials_refused: {
    status: 502,
    text: "The upstream rejects this gateway's credentials.",
    step: 'forward',
    remedy: "Correct the upstream's `credentials`.",
  },
  upstream_unauthenticated: {
    status: 502,
    text: 'The upstream did not prove that it knows the password.',
    step: 'forward',
    remedy: 'Check that `url` names the right server. The server at this URL does not know the password.',
  },
  upstream_protection_unmet: {
    status: 502,
    text: 'The upstream requires a hash of the request body, and this body is too long to hash.',
    step: 'forward',
    remedy: 'Send a smaller body, or configure the upstream to also offer `qop=auth`.',
  },
  upstream_nonce_stale: {
    status: 503,
    text: 'The upstream asked for a new nonce, and the gateway cannot resend this request. Retry after the time in Retry-After.',
    step: 'forward',
    remedy: WAIT,
  },
  upstream_timeout: {
    status: 504,
    text: 'The upstream did not answer in time.',
    step: 'forward',
    remedy: 'Find out why the API is slow, or raise `timeout` of the upstream or of the route.',
  },
  internal_error: {
    status: 500,
    text: 'The gateway failed. Find the request id in its log.',
    step: 'forward',
    remedy: 'This is a defect. Find the request id in the log, and report the log entry.',
  },
} as const satisfies Record<string, CodeEntry>;

export const codeGroups = {
  targets,
  framing,
  routing,
  asking,
  credentials,
  throttling,
  permission,
  mcp,
  outages,
} as const;

export const codes = {
  ...targets,
  ...framing,
  ...routing,
  ...asking,
  ...credentials,
  ...throttling,
  ...permission,
  ...mcp,
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

/** Undefined if the code is neither a refusal nor an outage. */
export function stepOf(code: string): Step | undefined {
  return isCode(code) ? entry(code).step : undefined;
}

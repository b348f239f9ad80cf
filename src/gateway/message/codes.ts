/** Where in the way of a request it ended: extract → throttle → verify → permit → forward, and what comes before them. */
export type Step = 'message' | 'target' | 'route' | 'extract' | 'throttle' | 'verify' | 'permit' | 'forward';

/**
 * Every way in which the gateway does not forward a request: its stable code, its status, the sentence that the client
 * reads, the step at which it ended and what can be done. `docs/errors.md`, `gatehouse why` and `gatehouse explain` read
 * this table. Programs branch on the code, never on the sentence.
 */
export interface CodeEntry {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 417 | 429 | 431 | 500 | 502 | 503 | 504;
  /** Where the message ends is in doubt, so nothing behind it is read (RFC 9112 §6.1). */
  readonly closes?: true;
  /** RFC 7616 §3.3: the credentials were right, and only the nonce is to be changed. */
  readonly stale?: true;
  /** The credentials may have been guessed: failures of this kind are counted, and too many are 429. */
  readonly guess?: true;
  /** RFC 6750 §3.1; present where the challenge carries an error. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  /** ASCII without `"` and `\`: it is also the `error_description` of a challenge. */
  readonly text: string;
  readonly step: Step;
  /** Where `gatehouse explain` shows it, whose steps are finer. Absent: at `step`. */
  readonly explainedAt?: 'host' | 'route' | 'forward';
  /**
   * The answer says what is wrong with the form of what the client sent, in a sentence of the gateway alone. Not with
   * `credential_missing`: a client without credentials learns only that they are needed (RFC 6750 §3.1).
   */
  readonly tellsDetail?: true;
  /** What the client can do, or the operator of the gateway. */
  readonly remedy: string;
}

const ENCODE_ONCE = 'Send the path percent-encoded once, and nothing that is not a path.';
const UPSTREAM_KEPT =
  'Look at the upstream: `gatehouse doctor` connects to it, and the log names the url and the fault.';
const WAIT = 'Repeat it after Retry-After.';
const SHARED =
  'Where many clients come by one address, name the proxy before them in `trusted_proxies`, or raise `limits.share`.';

const targets = {
  target_malformed: {
    status: 400,
    text: 'The request target is not a path that RFC 3986 allows.',
    step: 'target',
    remedy: ENCODE_ONCE,
  },
  target_dot_segment: {
    status: 400,
    text: 'The path contains a dot segment, plain or encoded.',
    step: 'target',
    remedy: 'Send the path that is meant, without `.` and `..`.',
  },
  target_empty_segment: {
    status: 400,
    text: 'The path contains two slashes in a row.',
    step: 'target',
    remedy: 'Send one slash where there are two: often a base address that ends with one.',
  },
  target_backslash: {
    status: 400,
    text: 'The path contains a backslash, plain or encoded.',
    step: 'target',
    remedy: 'Send `/`; a backslash in a name cannot be sent.',
  },
  target_null: {
    status: 400,
    text: 'The path contains an encoded NUL.',
    step: 'target',
    remedy: 'Leave it out: no path holds NUL.',
  },
  target_control: {
    status: 400,
    text: 'The path contains an encoded control character.',
    step: 'target',
    remedy: 'Leave it out: a control character is no part of a name.',
  },
  target_lookalike: {
    status: 400,
    text: 'The path contains a character that some servers read as a slash.',
    step: 'target',
    remedy: 'Send `/` where a slash is meant; no name can hold a sign that looks like one.',
  },
  target_ambiguous: {
    status: 400,
    text: 'The path belongs to one route as it stands and to another once decoded.',
    step: 'target',
    explainedAt: 'route',
    remedy:
      'Send the path without percent-encoding what needs none, such as `:` and `@`; `gatehouse explain` names both routes.',
  },
  target_percent_encoding: {
    status: 400,
    text: 'The path contains broken or double percent-encoding.',
    step: 'target',
    remedy: ENCODE_ONCE,
  },
  target_fragment: {
    status: 400,
    text: 'The request target contains a fragment.',
    step: 'target',
    remedy: 'Leave out `#` and what follows: it is the business of the client.',
  },
  target_encoded_slash: {
    status: 400,
    text: 'The path contains an encoded slash, which this route does not take.',
    step: 'target',
    explainedAt: 'route',
    remedy: 'Send `/`; or, where the API reads %2F as part of a name, `encoded_slashes: keep` on the route.',
  },
  target_path_parameter: {
    status: 400,
    text: 'The path contains a path parameter, which this route does not take.',
    step: 'target',
    explainedAt: 'route',
    remedy: 'Leave out `;`; or, where the API reads such parameters, `path_parameters: keep` on the route.',
  },
  target_other_host: {
    status: 400,
    text: 'The request target names another host than the Host header.',
    step: 'target',
    explainedAt: 'host',
    remedy: 'Send one name, in both places or in Host alone.',
  },
  host_invalid: {
    status: 400,
    text: 'The request needs exactly one valid Host header.',
    step: 'target',
    explainedAt: 'host',
    remedy:
      'Send one Host field with the name, and the port where it is not the usual one. With `host: forwarded`, one host in X-Forwarded-Host.',
  },
} as const satisfies Record<string, CodeEntry>;

const framing = {
  message_malformed: {
    status: 400,
    closes: true,
    text: 'The request is not well-formed HTTP/1.1.',
    step: 'message',
    remedy: 'Look at what the client, or a proxy before the gateway, sends: the log says what is wrong with it.',
  },
  transfer_encoding_invalid: {
    status: 400,
    closes: true,
    text: 'The only transfer coding taken is chunked, once.',
    step: 'message',
    remedy: 'Send `Transfer-Encoding: chunked` alone, or Content-Length.',
  },
  headers_too_large: {
    status: 431,
    text: 'The header section is larger than this gateway takes.',
    step: 'message',
    remedy: 'Send less, often cookies; or raise `limits.header_size`.',
  },
  headers_too_many: {
    status: 431,
    text: 'The request has more header lines than this gateway takes.',
    step: 'message',
    remedy: 'Send fewer; or raise `limits.header_count`.',
  },
  request_timeout: {
    status: 408,
    text: 'The request did not arrive in time.',
    step: 'message',
    remedy: 'Repeat it; where clients are slow, raise `limits.headers_timeout` or lower `limits.body_rate`.',
  },
  expectation_failed: {
    status: 417,
    text: 'The only expectation met is 100-continue.',
    step: 'message',
    remedy: 'Send `Expect: 100-continue`, or no Expect at all.',
  },
  body_too_large: {
    status: 413,
    text: 'The request body is larger than this route takes.',
    step: 'message',
    explainedAt: 'route',
    remedy: 'Send less; or raise `limits.body` on the route.',
  },
  form_too_large: {
    status: 413,
    text: 'The form is larger than this route reads for its access_token.',
    step: 'extract',
    remedy: 'Send the token in the Authorization field; or raise `limits.form_body`.',
  },
  integrity_too_large: {
    status: 413,
    text: 'The request body is larger than this route checks for its integrity.',
    step: 'extract',
    remedy: 'Answer the challenge with `qop=auth`, or send less.',
  },
} as const satisfies Record<string, CodeEntry>;

const routing = {
  route_not_found: {
    status: 404,
    text: 'No route matches this request.',
    step: 'route',
    remedy:
      'Look at host, path and method: `gatehouse routes` shows what there is, `gatehouse explain` why nothing fits.',
  },
  method_not_allowed: {
    status: 405,
    text: 'The route does not take this method.',
    step: 'route',
    remedy: 'Use a method of the Allow field; or add it to `methods` of the route. GET alone takes no HEAD.',
  },
  connection_names_decisive: {
    status: 400,
    text: 'The Connection header names a field that decides about this request.',
    step: 'route',
    remedy:
      'Leave the name out of `Connection`: what it names goes no further, so nothing can be judged by it. The log says which.',
  },
  match_repeated: {
    status: 400,
    text: 'A header or query parameter that decides about the request occurs more than once.',
    step: 'route',
    remedy:
      'Send that header or query parameter once, in one spelling: `X_Env`, `op[]`, `OP` and `;op=` count for `X-Env` and `op`.',
  },
} as const satisfies Record<string, CodeEntry>;

/** Of a proxy that asks whether a request passes, and of what it asks. */
const asking = {
  caller_untrusted: {
    status: 403,
    text: 'Only the proxies that this gateway trusts may ask for decisions.',
    step: 'message',
    remedy: 'Put the address of the proxy into `trusted_proxies`.',
  },
  question_unclear: {
    status: 500,
    text: 'The proxy in front does not say which request it asks about.',
    step: 'message',
    remedy: 'Let the proxy set the fields that its page in the cookbook shows; the log says which one is missing.',
  },
  answer_undeliverable: {
    status: 404,
    text: 'The gateway answers this request itself, and the proxy in front has to send it there.',
    step: 'message',
    remedy: 'Send preflights and metadata to the gateway itself, as the page of the proxy shows.',
  },
} as const satisfies Record<string, CodeEntry>;

const credentials = {
  credential_missing: {
    status: 401,
    text: 'This route needs credentials of a kind that its challenges name.',
    step: 'extract',
    remedy:
      'Send `Authorization: Bearer …` with a token, or what the challenge names; the reason, in ticket and log, tells what was there instead.',
  },
  credential_malformed: {
    status: 400,
    error: 'invalid_request',
    text: 'The access token is not of the form that RFC 6750 gives it.',
    tellsDetail: true,
    step: 'extract',
    remedy:
      'Send `Authorization: Bearer`, one space and the token, without quotes; the reason tells which part is wrong.',
  },
  credential_repeated: {
    status: 400,
    error: 'invalid_request',
    text: 'The request carries more than one credential.',
    step: 'extract',
    remedy: 'Send one credential, once: a token in the Authorization field alone.',
  },
  credential_misspelt: {
    status: 400,
    text: 'The credential stands in a spelling of its header or parameter that servers read in different ways.',
    step: 'extract',
    remedy:
      'Write the header or the parameter as the challenge names it: `X_API_Key` is another spelling of `X-API-Key`, and `;key=` of `key`.',
  },
  authorization_malformed: {
    status: 400,
    text: 'The Authorization field is not of the form that its scheme gives it.',
    step: 'extract',
    remedy: 'Let a library write the field; the log says what is wrong with it.',
  },
  transport_insecure: {
    status: 403,
    text: 'This route takes a password over TLS only.',
    step: 'extract',
    remedy: 'Use https; behind a proxy that ends TLS, put its address into `trusted_proxies`.',
  },
  password_wrong: {
    status: 401,
    guess: true,
    text: 'The user name or the password is wrong.',
    step: 'verify',
    remedy: 'Enter it again. A user that was just added must be in the file, or the database, that the route names.',
  },
  api_key_invalid: {
    status: 401,
    guess: true,
    text: 'The API key is not known.',
    step: 'verify',
    remedy:
      'Send the key whole and unchanged. A key that was just made must be in the file or the database that `api_key: { keys }` of the route names.',
  },
  api_key_expired: {
    status: 401,
    text: 'The API key expired.',
    step: 'verify',
    remedy: 'Ask for a new key: `gatehouse api-key rotate` or `create` makes one.',
  },
  digest_mismatch: {
    status: 401,
    text: 'The Digest credentials do not answer a challenge of this route.',
    step: 'verify',
    remedy: 'Answer the last challenge with its own realm, algorithm and qop.',
  },
  digest_uri: {
    status: 400,
    text: 'The uri of the Digest credentials is not the request target.',
    step: 'verify',
    remedy: 'Send as `uri` the request target, byte by byte; behind a proxy that rewrites see `uri_from`.',
  },
  nonce_invalid: {
    status: 401,
    text: 'The nonce does not come from this gateway.',
    step: 'verify',
    remedy: 'Answer the new challenge. Several gateways need the same `nonce_keys`.',
  },
  nonce_stale: {
    status: 401,
    stale: true,
    text: 'The nonce has ended; the challenge has a new one.',
    step: 'verify',
    remedy: 'Answer the new challenge with the same password: no need to ask the user.',
  },
  nonce_replayed: {
    status: 401,
    stale: true,
    text: 'The nonce count was used before; the challenge has a new nonce.',
    step: 'verify',
    remedy: 'Answer the new challenge, and count `nc` up with each request.',
  },
  token_malformed: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is malformed.',
    step: 'verify',
    remedy:
      'Send the token whole and unchanged. If it is opaque, the gateway needs `client_id` and `client_secret` to ask about it.',
  },
  token_algorithm: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is signed with an algorithm that is not accepted.',
    step: 'verify',
    remedy: 'Let the authorization server sign with one of `algorithms`, or add its own there.',
  },
  token_signature: {
    status: 401,
    error: 'invalid_token',
    text: 'The signature of the access token is not valid.',
    step: 'verify',
    remedy: 'Get a new token. If all are refused, compare the keys of the server with what `gatehouse doctor` finds.',
  },
  token_type: {
    status: 401,
    error: 'invalid_token',
    text: 'The token is not an access token of an accepted type.',
    step: 'verify',
    remedy:
      'Send an access token, no identity token. If its `typ` is another one, name it in `typ`, or see `required_claims`.',
  },
  token_issuer: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token comes from an authorization server that this route does not accept.',
    step: 'verify',
    remedy:
      'Compare `iss` of the token with `issuer`, byte by byte, also the slash at the end, and look at `authorization_servers` of the route.',
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
    remedy: 'Set the clocks; `gatehouse doctor` compares them.',
  },
  token_lifetime: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token lives longer than this gateway takes.',
    step: 'verify',
    remedy: 'Let the server give shorter tokens; or raise `max_token_lifetime`.',
  },
  token_audience: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is for another audience.',
    step: 'permit',
    remedy: 'Ask for a token for this API (`resource` or `audience`), or correct `audience` in the file.',
  },
  token_inactive: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is unknown, expired or revoked.',
    step: 'verify',
    remedy:
      'Get a new token. If new ones are refused too, another server gave them, or the client of the gateway lacks `introspect: true`.',
  },
  token_revoked: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token was revoked.',
    step: 'verify',
    remedy: 'Get a new token; who revoked it stands in the audit log of the service.',
  },
  token_bound: {
    status: 401,
    error: 'invalid_token',
    text: 'The access token is bound to a key whose possession was not shown.',
    step: 'verify',
    remedy: 'Ask for a token that is bound to no key: this gateway checks no possession.',
  },
} as const satisfies Record<string, CodeEntry>;

const throttling = {
  login_throttled: {
    status: 429,
    text: 'Too many wrong passwords or API keys; Retry-After says when the next one is looked at.',
    step: 'verify',
    remedy: WAIT,
  },
  rate_limited: {
    status: 429,
    text: 'Too many requests on this route; Retry-After says when the next one passes.',
    step: 'throttle',
    remedy: `${WAIT} Or raise \`rate_limit\` of the route.`,
  },
} as const satisfies Record<string, CodeEntry>;

const permission = {
  scope_insufficient: {
    status: 403,
    error: 'insufficient_scope',
    text: 'The access token lacks a scope that this request needs.',
    step: 'permit',
    remedy: 'Ask for the scope that the challenge names; the client must be registered for it.',
  },
  condition_failed: {
    status: 403,
    text: 'A condition of this route does not hold for the access token or the request.',
    step: 'permit',
    remedy: 'Look at `claims` and `when` of the route: `gatehouse explain` with the token tells what they found.',
  },
  identity_unrepresentable: {
    status: 403,
    text: 'A claim of the access token cannot be written as a header.',
    step: 'permit',
    explainedAt: 'forward',
    remedy: 'Leave the claim out of `identity_headers`, or let the server write it without control characters.',
  },
} as const satisfies Record<string, CodeEntry>;

const outages = {
  authorization_server_unavailable: {
    status: 503,
    text: 'The access token cannot be verified at the moment.',
    step: 'verify',
    remedy: `${WAIT} The log names the server and what failed; \`gatehouse doctor\` tries it.`,
  },
  bodies_saturated: {
    status: 503,
    text: 'Too many request bodies are being checked at the moment.',
    step: 'extract',
    remedy: `${WAIT} ${SHARED}`,
  },
  counters_unavailable: {
    status: 503,
    text: 'How often a nonce was used cannot be known at the moment.',
    step: 'verify',
    remedy: `${WAIT} Look whether the Redis of \`counters\` answers.`,
  },
  passwords_saturated: {
    status: 503,
    text: 'Too many passwords are being checked at the moment.',
    step: 'verify',
    remedy: WAIT,
  },
  users_unavailable: {
    status: 503,
    text: 'Who the user is cannot be looked up at the moment.',
    step: 'verify',
    remedy: `${WAIT} Look whether the database of the users answers.`,
  },
  upstream_saturated: {
    status: 503,
    text: 'Too many requests wait for the upstream.',
    step: 'forward',
    remedy: `${WAIT} Raise \`max_connections\` where the API can do more, and the limit of open files where \`gatehouse doctor\` says so. ${SHARED}`,
  },
  upstream_unhealthy: {
    status: 503,
    text: 'The upstream is not well at the moment.',
    step: 'forward',
    remedy: UPSTREAM_KEPT,
  },
  upstream_unreachable: {
    status: 502,
    text: 'The upstream cannot be reached.',
    step: 'forward',
    remedy: UPSTREAM_KEPT,
  },
  upstream_invalid: {
    status: 502,
    text: 'The upstream did not answer with valid HTTP.',
    step: 'forward',
    remedy: 'Look at what the upstream sends: the log says where its answer is not HTTP.',
  },
  upstream_credentials_refused: {
    status: 502,
    text: 'The upstream does not take the credentials of this gateway.',
    step: 'forward',
    remedy: 'Correct `credentials` of the upstream.',
  },
  upstream_unauthenticated: {
    status: 502,
    text: 'The upstream did not prove that it knows the password.',
    step: 'forward',
    remedy: 'Look whether `url` leads to the upstream that is meant: this one does not know the password.',
  },
  upstream_protection_unmet: {
    status: 502,
    text: 'The upstream wants the hash of the request body first, and this body is too long for that.',
    step: 'forward',
    remedy: 'Send less, or let the upstream offer `qop=auth` too.',
  },
  upstream_nonce_stale: {
    status: 503,
    text: 'The upstream asked for a new nonce, and this request is not sent again; Retry-After says when to repeat it.',
    step: 'forward',
    remedy: WAIT,
  },
  upstream_timeout: {
    status: 504,
    text: 'The upstream did not answer in time.',
    step: 'forward',
    remedy: 'Look why the API is slow; or raise `timeout` of the upstream or route.',
  },
  internal_error: {
    status: 500,
    text: 'The gateway failed; the request id leads to the log.',
    step: 'forward',
    remedy: 'It is a defect: look up the request id in the log, and report what stands there.',
  },
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

/** Undefined for what is no refusal and no outage. */
export function stepOf(code: string): Step | undefined {
  return isCode(code) ? entry(code).step : undefined;
}

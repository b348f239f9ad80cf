import type { Code } from './codes.ts';

const ENCODE_ONCE = 'Send the path percent-encoded once, and nothing that is not a path.';
const UPSTREAM_KEPT =
  'Look at the upstream: `gatehouse doctor` connects to it, and the log names the url and the fault.';
const WAIT = 'Repeat it after Retry-After.';

/** What whoever meets a code can do: the client, or who runs the gateway. For the documentation and `gatehouse why`. */
export const remedies: Readonly<Record<Code, string>> = {
  target_malformed: ENCODE_ONCE,
  target_dot_segment: 'Send the path that is meant, without `.` and `..`.',
  target_empty_segment: 'Send one slash where there are two: often a base address that ends with one.',
  target_backslash: 'Send `/`; a backslash in a name cannot be sent.',
  target_null: 'Leave it out: no path holds NUL.',
  target_percent_encoding: ENCODE_ONCE,
  target_fragment: 'Leave out `#` and what follows: it is the business of the client.',
  target_encoded_slash:
    'Send `/`; or, where the API reads %2F as part of a name, `encoded_slashes: keep` on the route.',
  target_path_parameter:
    'Leave out `;`; or, where the API reads such parameters, `path_parameters: keep` on the route.',
  target_other_host: 'Send one name, in both places or in Host alone.',
  host_invalid: 'Send one Host field with the name, and the port where it is not the usual one.',
  message_malformed:
    'Look at what the client, or a proxy before the gateway, sends: the log says what is wrong with it.',
  transfer_encoding_invalid: 'Send `Transfer-Encoding: chunked` alone, or Content-Length.',
  headers_too_large: 'Send less, often cookies; or raise `limits.header_size`.',
  headers_too_many: 'Send fewer; or raise `limits.header_count`.',
  request_timeout: 'Repeat it; where clients are slow, raise `limits.headers_timeout` or lower `limits.body_rate`.',
  expectation_failed: 'Send `Expect: 100-continue`, or no Expect at all.',
  body_too_large: 'Send less; or raise `limits.body` on the route.',
  form_too_large: 'Send the token in the Authorization field; or raise `limits.form_body`.',
  integrity_too_large: 'Answer the challenge with `qop=auth`, or send less.',
  route_not_found:
    'Look at host, path and method: `gatehouse routes` shows what there is, `gatehouse explain` why nothing fits.',
  method_not_allowed: 'Use a method of the Allow field; or add it to `methods` of the route. GET alone takes no HEAD.',
  match_repeated: 'Send that header or query parameter once.',
  caller_untrusted: 'Put the address of the proxy into `trusted_proxies`.',
  question_unclear:
    'Let the proxy set the fields that its page in the cookbook shows; the log says which one is missing.',
  answer_undeliverable: 'Send preflights and metadata to the gateway itself, as the page of the proxy shows.',
  credential_missing:
    'Send `Authorization: Bearer …` with a token, or what the challenge names; the reason, in ticket and log, tells what was there instead.',
  credential_malformed:
    'Send `Authorization: Bearer`, one space and the token, without quotes; the reason tells which part is wrong.',
  credential_repeated: 'Send the token once: in the Authorization field alone.',
  authorization_malformed: 'Let a library write the field; the log says what is wrong with it.',
  transport_insecure: 'Use https; behind a proxy that ends TLS, put its address into `trusted_proxies`.',
  password_wrong:
    'Enter it again. A user that was just added must be in the file, or the database, that the route names.',
  digest_mismatch: 'Answer the last challenge with its own realm, algorithm and qop.',
  digest_uri: 'Send as `uri` the request target, byte by byte; behind a proxy that rewrites see `uri_from`.',
  nonce_invalid: 'Answer the new challenge. Several gateways need the same `nonce_keys`.',
  nonce_stale: 'Answer the new challenge with the same password: no need to ask the user.',
  nonce_replayed: 'Answer the new challenge, and count `nc` up with each request.',
  token_malformed:
    'Send the token whole and unchanged. If it is opaque, the gateway needs `client_id` and `client_secret` to ask about it.',
  token_algorithm: 'Let the authorization server sign with one of `algorithms`, or add its own there.',
  token_signature:
    'Get a new token. If all are refused, compare the keys of the server with what `gatehouse doctor` finds.',
  token_type:
    'Send an access token, no identity token. If its `typ` is another one, name it in `typ`, or see `required_claims`.',
  token_issuer:
    'Compare `iss` of the token with `issuer`, byte by byte, also the slash at the end, and look at `authorization_servers` of the route.',
  token_expired: 'Get a new token.',
  token_not_yet_valid: 'Set the clocks; `gatehouse doctor` compares them.',
  token_lifetime: 'Let the server give shorter tokens; or raise `max_token_lifetime`.',
  token_audience: 'Ask for a token for this API (`resource` or `audience`), or correct `audience` in the file.',
  token_inactive:
    'Get a new token. If new ones are refused too, another server gave them, or the client of the gateway lacks `introspect: true`.',
  token_revoked: 'Get a new token; who revoked it stands in the audit log of the service.',
  token_bound: 'Ask for a token that is bound to no key: this gateway checks no possession.',
  login_throttled: WAIT,
  rate_limited: `${WAIT} Or raise \`rate_limit\` of the route.`,
  scope_insufficient: 'Ask for the scope that the challenge names; the client must be registered for it.',
  condition_failed:
    'Look at `claims` and `when` of the route: `gatehouse explain` with the token tells what they found.',
  identity_unrepresentable:
    'Leave the claim out of `identity_headers`, or let the server write it without control characters.',
  authorization_server_unavailable: `${WAIT} The log names the server and what failed; \`gatehouse doctor\` tries it.`,
  bodies_saturated: WAIT,
  counters_unavailable: `${WAIT} Look whether the Redis of \`counters\` answers.`,
  passwords_saturated: WAIT,
  users_unavailable: `${WAIT} Look whether the database of the users answers.`,
  upstream_saturated: `${WAIT} Raise \`max_connections\` where the API can do more, and the limit of open files where \`gatehouse doctor\` says so.`,
  upstream_unhealthy: UPSTREAM_KEPT,
  upstream_unreachable: UPSTREAM_KEPT,
  upstream_invalid: 'Look at what the upstream sends: the log says where its answer is not HTTP.',
  upstream_credentials_refused: 'Correct `credentials` of the upstream.',
  upstream_unauthenticated:
    'Look whether `url` leads to the upstream that is meant: this one does not know the password.',
  upstream_protection_unmet: 'Send less, or let the upstream offer `qop=auth` too.',
  upstream_nonce_stale: WAIT,
  upstream_timeout: 'Look why the API is slow; or raise `timeout` of the upstream or route.',
  internal_error: 'It is a defect: look up the request id in the log, and report what stands there.',
};

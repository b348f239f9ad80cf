import type { AuthorizationServerConfig, GatewayConfig, UpstreamConfig } from '../../config/schema/gateway.ts';
import { algorithms } from '../../jwt/algorithms.ts';
import { cannot, type KeyRules, sayable } from './known-keys.ts';
import type { CannotSay } from './plan.ts';
import { bearerMethodsRule, bodyLimit, identityRule, splitClaim } from './route-rules.ts';

const ASK = 'let Gatehouse judge these routes with `--on-unsupported ask`';
const OWN = 'serve the file with Gatehouse itself';

/** Keys of the whole file that concern the verdict of every route. */
export const fileRules: KeyRules<GatewayConfig> = {
  version: sayable,
  development: sayable,
  listen: ({ tls }) =>
    tls === undefined || tls.client_auth === 'none'
      ? undefined
      : refusal('the proxy does not send Client-Cert to the upstream'),
  listener: sayable,
  admin: sayable,
  health: sayable,
  health_passes: sayable,
  decision: sayable,
  decision_max_age: sayable,
  decision_grpc: sayable,
  receiver: sayable,
  workers: sayable,
  mode: (mode) =>
    mode === 'enforce' ? undefined : refusal('the proxy cannot verify a token without enforcing the result'),
  trusted_proxies: sayable,
  is_host_forwarded: (value) => (value ? refusal('the proxy takes the host from Host only') : undefined),
  counters: sayable,
  login: sayable,
  nonce_keys: sayable,
  ticket_keys: sayable,
  session_keys: sayable,
  limits: ({ body }) => bodyLimit(body),
  request_id: sayable,
  log: sayable,
  access_log: sayable,
  shutdown: sayable,
  resource: sayable,
  cors: sayable,
  realm: sayable,
  scopes_supported: sayable,
  scopes: sayable,
  bearer_methods_supported: bearerMethodsRule,
  authorization_servers: sayable,
  upstreams: sayable,
  defaults: ({ pass_headers, identity_headers }) =>
    pass_headers.length === 0
      ? identityRule(identity_headers.set)
      : refusal('the proxy removes the headers of `pass_headers` on every route'),
  routes: sayable,
  tests: sayable,
};

function refusal(why: string): CannotSay {
  return { why, remedy: OWN, askable: false };
}

const ASKS = 'the proxy does not ask the authorization server about a token';

/** The least clock skew in milliseconds. Envoy reads 0 as 60 s, and accepts a token for up to a second longer. */
const LEAST_SKEW = 2_000;

export const serverRules: KeyRules<AuthorizationServerConfig, AuthorizationServerConfig> = {
  issuer: sayable,
  jwks_uri: sayable,
  jwks_file: sayable,
  jwks: sayable,
  user_key_uri_template: cannot('the proxy does not fetch keys of single users', ASK),
  introspection_endpoint: cannot(ASKS, ASK),
  introspection_endpoint_auth_method: sayable,
  client_id: cannot(ASKS, `${ASK}; or set \`verify: jwt\` and remove \`client_id\``),
  client_secret: sayable,
  client_key: sayable,
  verify: (mode) => (mode === 'auto' || mode === 'jwt' ? undefined : { why: ASKS, remedy: ASK }),
  storage: cannot('the proxy does not read the database of the authorization service', ASK),
  audience: sayable,
  algorithms: (names) => {
    const shared = names.find((name) => algorithms[name].hmac !== undefined);
    return shared && { why: `${shared} needs a secret, which the output must not contain`, remedy: ASK };
  },
  secret: cannot('the output must not contain a secret', ASK),
  secret_base64url: cannot('the output must not contain a secret', ASK),
  typ: sayable,
  required_claims: (claims, { scope_claims }) => {
    const name = Object.keys(claims).find((each) => scope_claims.includes(each));
    return name === undefined ? undefined : { why: splitClaim(name), remedy: ASK };
  },
  scope_claims: sayable,
  token_prefix: sayable,
  clock_skew: (skew) =>
    skew >= LEAST_SKEW
      ? undefined
      : { why: 'the proxy cannot apply a clock skew of less than 2 s', remedy: 'set `clock_skew: 2s` or more' },
  max_token_lifetime: sayable,
  events: (url) => (url === 'none' ? undefined : { why: 'the proxy follows no feed of revocations', remedy: ASK }),
  backchannel_logout: cannot('the proxy does not receive logout tokens', ASK),
  security_events: cannot('the proxy does not receive security event tokens', ASK),
  max_staleness: sayable,
  on_stale: sayable,
  tls: sayable,
  cache: sayable,
};

const FORWARDS = 'serve its routes with Gatehouse itself';

/** The proxy sends the requests, so asking Gatehouse helps with none of these. */
export const upstreamRules: KeyRules<UpstreamConfig, UpstreamConfig> = {
  urls: sayable,
  balance: sayable,
  host: (host, { urls }) =>
    host === 'upstream' && urls.length > 1
      ? {
          why: 'the proxy sends one Host to all URLs',
          remedy: 'write the name of the host, such as `host: orders.internal`',
          askable: false,
        }
      : undefined,
  case_sensitive: sayable,
  credentials: () => ({ why: 'the output must not contain a secret', remedy: FORWARDS, askable: false }),
  timeout: sayable,
  retries: sayable,
  health: sayable,
  circuit_breaker: sayable,
  tls: sayable,
  engine: sayable,
  http2: sayable,
  max_connections: sayable,
  max_pending: sayable,
};

import * as Type from 'typebox';
import { certificateHeaders } from '../words/certificate-headers.ts';
import { overrideHeaders } from '../words/override-headers.ts';
import {
  count,
  duration,
  durationOrNone,
  flag,
  list,
  named,
  oneOf,
  record,
  size,
  sizeOrNone,
  text,
} from '../words/schema.ts';
import { Auth, schemeBlocks } from './http-schemes.ts';
import { McpSchema } from './mcp.ts';
import { Scope } from './scope.ts';

export const bearerMethods = ['header', 'body', 'query'] as const;
export type BearerMethod = (typeof bearerMethods)[number];

export const bearerMethodsSupported = (fallback?: readonly BearerMethod[]) =>
  list(oneOf(bearerMethods), fallback, 'A bearer token may be in these places (RFC 6750 §2, RFC 9728).');

export const identityHeaders = (fallback?: object) =>
  record(
    {
      prefix: text(
        'X-Auth-',
        'The gateway removes each header of the client that begins with this prefix, in any spelling.',
      ),
      set: named(
        text(),
        { 'X-Auth-Subject': 'sub', 'X-Auth-Client': 'client_id', 'X-Auth-Scope': 'scope' },
        'Each key is a header, and each value is the claim that this header contains.',
      ),
    },
    fallback,
    'These headers tell the upstream who the caller is.',
  );

/** The headers that `pass_headers` may list. */
export const passable = [...overrideHeaders, ...certificateHeaders];

export type PassHeader = (typeof passable)[number];

export const passHeaders = (fallback?: readonly PassHeader[]) =>
  list(
    oneOf(passable),
    fallback,
    'The upstream gets these headers unchanged. A header in this list that names another path or method passes from every client. A header in this list that describes a certificate passes only from a proxy in `trusted_proxies`. If the name of a header begins with a certificate header in this list and a hyphen, this header passes in the same way. The gateway removes all other headers of these two kinds. This setting has no effect at `decision`: there the proxy forwards the request, so the proxy must remove the headers that the gateway would remove.',
  );

const RouteTimeout = record(
  {
    response: Type.Optional(duration(undefined, 'The first byte of the answer must arrive within this time.')),
    idle: Type.Optional(durationOrNone(undefined, 'The answer may pause for this long.')),
  },
  undefined,
  'Each limit here replaces the limit with the same name in `timeout` of the upstream.',
);

const claimValue = Type.Union([text(), Type.Number(), Type.Boolean()], {
  description: 'text, a number, true or false',
});
const Claim = Type.Union(
  [
    record(
      { equals: claimValue },
      undefined,
      'The claim must equal this value. host.NAME and path.NAME stand for the text that {NAME} matches in `match.host` and `match.path`.',
    ),
    record({ one_of: Type.Array(claimValue, { minItems: 1 }) }, undefined, 'The claim must be one of these values.'),
    record({ contains: claimValue }, undefined, 'The claim must be a list that contains this value.'),
  ],
  { description: 'exactly one of { equals: … }, { one_of: [ … ] } or { contains: … }' },
);

const RateLimit = record(
  {
    by: text(
      undefined,
      'The gateway counts requests by this value: client_id, sub, address or claim:NAME. Requests with the same value count together.',
    ),
    requests: count(undefined, 'At most this many requests pass within `per`.'),
    per: duration(
      undefined,
      'The limit applies to any time window of this length (1s to 1d). Further requests get 429.',
    ),
  },
  undefined,
  'This limit says how many requests one client, user, address or claim value may send.',
);

export const modes = ['enforce', 'shadow'] as const;

export const endings = ['token', 'request'] as const;

export const switches = ['on', 'off'] as const;

export const RouteSchema = record(
  {
    id: Type.Optional(
      text(undefined, 'Logs and metrics show this id. By default, the gateway makes the id from `match`.'),
    ),
    match: record(
      {
        host: Type.Optional(
          text(undefined, 'The host must match this name or pattern, such as {tenant}.api.example.com.'),
        ),
        path: Type.String({
          minLength: 1,
          description:
            'The path must match this pattern. A segment of the pattern is literal text, {name} or {name*}. {name} matches one segment. {name*} matches the rest of the path, which may be empty.',
        }),
        methods: Type.Optional(
          Type.Array(text(), {
            minItems: 1,
            description: 'The method must be one of these. The default is every method.',
          }),
        ),
        headers: Type.Optional(
          named(
            text(),
            undefined,
            'Each header must have the given value. If a header occurs twice, or in another spelling (X_Env for X-Env), the answer is 400.',
          ),
        ),
        query: Type.Optional(
          named(
            text(),
            undefined,
            'Each query parameter must have the given value. If a parameter occurs twice, or in another spelling, the answer is 400. For example, op[], OP and ;op= are other spellings of op. f[a]x is another spelling of f[a].',
          ),
        ),
        soap_action: Type.Optional(
          text(
            undefined,
            'The SOAPAction header of SOAP 1.1 or the action parameter of SOAP 1.2 must have this value. This rule also applies to messages with attachments. If different parsers could find different actions in the media type, the answer is 400.',
          ),
        ),
      },
      undefined,
      'The route applies to these requests.',
    ),
    upstream: Type.Optional(
      text(
        undefined,
        'The route forwards requests to this upstream, a name in `upstreams`. The default is `defaults.upstream`.',
      ),
    ),
    auth: Type.Optional(Auth),
    ...schemeBlocks,
    access: Type.Optional(
      oneOf(
        ['public', 'optional', 'authenticated'],
        undefined,
        'public: a request needs no credential. optional: a request needs no credential, but the gateway verifies a credential that the request has. authenticated: a request needs any valid credential. Without this key, the route must have `scope`, or `mcp.scope` with the key `*`.',
      ),
    ),
    scope: Type.Optional(Scope),
    claims: Type.Optional(
      named(
        Claim,
        undefined,
        'Each key is the name or the path of a claim. Each of these claims must meet its condition.',
      ),
    ),
    when: Type.Optional(
      text(
        undefined,
        'This CEL expression over `request` and `identity` must be true. The pattern of `matches` must be a literal string in the syntax of RE2. A header or parameter that the expression reads may occur only once. If such a header or parameter occurs twice, or in another spelling, the answer is 400. For example, X_Env is another spelling of X-Env. op[], OP and ;op= are other spellings of op. If the expression reads headers without naming each of them, this rule applies to all headers. Only headers that contain a list, such as Accept, Via and X-Forwarded-For, may then occur several times. If the expression reads parameters without naming each of them, this rule applies to all parameters.',
      ),
    ),
    audience: Type.Optional(
      text(
        undefined,
        'The `aud` of the token must contain this value. The default is `audience` of the authorization server.',
      ),
    ),
    resource: Type.Optional(
      text(undefined, 'The route is a separate protected resource with this identifier (RFC 9728).'),
    ),
    mcp: Type.Optional(McpSchema),
    claims_to_params: Type.Optional(
      named(
        text(),
        undefined,
        'This setting needs `mcp`. Each key is a header such as Mcp-Param-Tenant, and each value is a claim of the token. The header must equal the claim. The argument that the header repeats must also equal the claim. If either is different, the answer is 403.',
      ),
    ),
    origins: Type.Optional(
      list(
        text(),
        undefined,
        'Only pages of these origins may send requests. Each origin is scheme://host[:port] or null. A request with another origin, or with two Origin headers, gets 403. The gateway does not read the credential of such a request. This rule does not apply to a request without an Origin header. With `[]`, no page may send requests.',
      ),
    ),
    rate_limit: Type.Optional(RateLimit),
    mode: Type.Optional(oneOf(modes, undefined, 'This value replaces the `mode` of the file for this route.')),
    cors: Type.Optional(
      oneOf(['upstream'], undefined, 'upstream: the upstream itself answers preflights and sets CORS headers.'),
    ),
    rewrite: Type.Optional(
      record(
        {
          strip_prefix: Type.Optional(text(undefined, 'The gateway removes this prefix from the path.')),
          add_prefix: Type.Optional(
            text(undefined, 'The gateway adds this prefix to the path, after it removed `strip_prefix`.'),
          ),
        },
        undefined,
        'The gateway changes the path before it forwards the request.',
      ),
    ),
    authorization_servers: Type.Optional(
      Type.Array(text(), {
        minItems: 1,
        description: 'The route accepts the tokens of these authorization servers. The default is all servers.',
      }),
    ),
    bearer_methods_supported: Type.Optional(bearerMethodsSupported()),
    forward_credential: flag(
      false,
      'true: the gateway also forwards the credential to the upstream. false: the gateway removes the credential. On a public route, the gateway reads no credentials, and forwards them unchanged.',
    ),
    encoded_slashes: oneOf(
      ['refuse', 'keep'],
      'refuse',
      'refuse: the gateway rejects a path with %2f. keep: it accepts and forwards %2f.',
    ),
    path_parameters: oneOf(
      ['refuse', 'keep'],
      'refuse',
      'refuse: the gateway rejects a path with ; or %3b. keep: it accepts and forwards them.',
    ),
    identity_headers: Type.Optional(identityHeaders()),
    pass_headers: Type.Optional(passHeaders()),
    timeout: Type.Optional(RouteTimeout),
    request_buffering: oneOf(
      switches,
      'on',
      'on: the gateway waits before it uses an upstream connection for an upload. The wait ends when the whole upload or its first 64 KiB arrived, or when no byte arrived for 250 ms. off: the gateway uses an upstream connection at once.',
    ),
    end_with: Type.Optional(
      oneOf(
        endings,
        undefined,
        'token: WebSockets, event streams, downloads and uploads end when the token expires or is revoked. request: these streams continue. The default is request. For a route with `mcp` that is not public, the default is token.',
      ),
    ),
    limits: Type.Optional(
      record(
        {
          body: Type.Optional(
            sizeOrNone(undefined, 'A request body may have at most this size. A larger body gets 413.'),
          ),
          form_body: Type.Optional(
            size(
              undefined,
              'If a route accepts a token in a form, a form may have at most this size. A larger form gets 413, even without a token.',
            ),
          ),
        },
        undefined,
        'Each limit here replaces the limit with the same name in `limits` of the file.',
      ),
    ),
  },
  undefined,
  'A route says which requests it applies to, and what these requests need.',
);

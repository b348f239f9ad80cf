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
      prefix: text('X-Auth-', 'The gateway drops every inbound header with this prefix, in any spelling.'),
      set: named(
        text(),
        { 'X-Auth-Subject': 'sub', 'X-Auth-Client': 'client_id', 'X-Auth-Scope': 'scope' },
        'Each header has the value of this claim.',
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
    'The upstream gets these headers unchanged. Headers that name another path or method pass from every client. Headers that describe a certificate pass only from a proxy in `trusted_proxies`. In this list, the name of such a header also stands for all names that begin with it and a hyphen. The gateway drops all other headers of these kinds. This setting has no effect at `decision`: there the proxy forwards the request, and must drop the headers.',
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
      'The claim must equal this value. host.NAME and path.NAME are captures of the match.',
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
    id: Type.Optional(text(undefined, 'Logs and metrics show this id. The default is made from methods and path.')),
    match: record(
      {
        host: Type.Optional(
          text(undefined, 'The host must match this name or pattern, such as {tenant}.api.example.com.'),
        ),
        path: Type.String({
          minLength: 1,
          description:
            'The path must match this pattern. Its segments are literals, {name} (one segment) or {name*} (the rest, may be empty).',
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
            'Each header must have this value. If a header occurs twice, or in another spelling (X_Env for X-Env), the answer is 400.',
          ),
        ),
        query: Type.Optional(
          named(
            text(),
            undefined,
            'Each query parameter must have this value. If a parameter occurs twice, or in another spelling (op[], OP or ;op= for op; f[a]x for f[a]), the answer is 400.',
          ),
        ),
        soap_action: Type.Optional(
          text(
            undefined,
            'The SOAPAction header of SOAP 1.1 or the action parameter of SOAP 1.2 must have this value. Messages with attachments count too. If two parsers of the media type could find different actions, the answer is 400.',
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
        'public needs no credential. optional checks a credential if there is one. authenticated needs any valid credential. Without this key, the route needs `scope`.',
      ),
    ),
    scope: Type.Optional(Scope),
    claims: Type.Optional(named(Claim, undefined, 'Each claim, by name or path, must meet its condition.')),
    when: Type.Optional(
      text(
        undefined,
        'This CEL expression over `request` and `identity` must be true. The pattern of `matches` is RE2 in quotes. Each header or parameter that the expression reads must occur once. If one occurs twice, or in another spelling (X_Env for X-Env; op[], OP or ;op= for op), the answer is 400. If the expression can read any header or parameter, this rule applies to all, except to lists such as Accept, Via and X-Forwarded-For.',
      ),
    ),
    audience: Type.Optional(
      text(undefined, '`aud` must contain this value. The default is `audience` of the authorization server.'),
    ),
    resource: Type.Optional(
      text(undefined, 'The route is a separate protected resource with this identifier (RFC 9728).'),
    ),
    mcp: Type.Optional(McpSchema),
    claims_to_params: Type.Optional(
      named(
        text(),
        undefined,
        'This setting needs `mcp`. Each key is a header such as Mcp-Param-Tenant, and each value is a claim of the token. The header, and the argument that it repeats, must equal the claim. Otherwise the answer is 403.',
      ),
    ),
    origins: Type.Optional(
      list(
        text(),
        undefined,
        'Only pages of these origins may send requests. Each origin is scheme://host[:port] or null. A request with another Origin header, or with two, gets 403 before its credential is read. A request without an Origin header passes. `[]`: no page may call.',
      ),
    ),
    rate_limit: Type.Optional(RateLimit),
    mode: Type.Optional(oneOf(modes, undefined, 'This replaces `mode` of the file for the route.')),
    cors: Type.Optional(
      oneOf(['upstream'], undefined, 'upstream: the upstream answers preflights and sets CORS headers itself.'),
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
    forward_credential: flag(false, 'true: the gateway also forwards the credential to the upstream.'),
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
      'on: an upload gets an upstream connection when its end or its first 64 KiB has arrived, or when no byte has come for 250 ms. off: an upload gets an upstream connection at once.',
    ),
    end_with: Type.Optional(
      oneOf(
        endings,
        undefined,
        'token: WebSockets, event streams, downloads and uploads end when the token expires or is revoked. request: these streams continue. The default is request. For a route with `mcp` that reads a token, the default is token.',
      ),
    ),
    limits: Type.Optional(
      record(
        {
          body: Type.Optional(
            sizeOrNone(undefined, 'A request body may have at most this size. A larger body gets 413.'),
          ),
          form_body: Type.Optional(
            size(undefined, 'A form with an access_token may have at most this size. A larger form gets 413.'),
          ),
        },
        undefined,
        'Each limit here replaces the limit with the same name in `limits` of the file.',
      ),
    ),
  },
  undefined,
  'A route says which requests it is for, and what they need.',
);

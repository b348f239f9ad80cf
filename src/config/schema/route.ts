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

export const bearerMethods = ['header', 'body', 'query'] as const;
export type BearerMethod = (typeof bearerMethods)[number];

export const bearerMethodsSupported = (fallback?: readonly BearerMethod[]) =>
  list(oneOf(bearerMethods), fallback, 'Where a bearer token may stand (RFC 6750 §2, RFC 9728): header, body, query.');

export const identityHeaders = (fallback?: object) =>
  record(
    {
      prefix: text('X-Auth-', 'Every inbound header with this prefix, in any spelling, is dropped.'),
      set: named(
        text(),
        { 'X-Auth-Subject': 'sub', 'X-Auth-Client': 'client_id', 'X-Auth-Scope': 'scope' },
        'Header name → claim.',
      ),
    },
    fallback,
    'The headers that tell the upstream who the caller is.',
  );

/** All that `pass_headers` may name. */
export const passable = [...overrideHeaders, ...certificateHeaders];

export type PassHeader = (typeof passable)[number];

export const passHeaders = (fallback?: readonly PassHeader[]) =>
  list(
    oneOf(passable),
    fallback,
    'Headers that the upstream gets as they came. They name another path or method (from a client), or a certificate, with every name that continues with a hyphen (from a proxy in `trusted_proxies`). The gateway drops all others of these kinds. This has no effect at `decision`: there the proxy forwards, and must drop them.',
  );

const RouteTimeout = record(
  {
    response: Type.Optional(duration(undefined, 'To the first byte of the answer.')),
    idle: Type.Optional(durationOrNone(undefined, 'Between two bytes of the answer.')),
  },
  undefined,
  'In place of the `timeout` of the upstream.',
);

const scopeAlternatives = Type.Array(text(), { minItems: 1 });
const Scope = Type.Union(
  [
    text(undefined, 'Space-delimited (RFC 6749 §3.3), all required.'),
    record({ any_of: scopeAlternatives }, undefined, 'One entry suffices; each is a space-delimited string.'),
    record({ all_of: scopeAlternatives }, undefined, 'Every entry is required.'),
  ],
  {
    description:
      'The scope that a token must carry: text (space-delimited, all required), { any_of: [ … ] } or { all_of: [ … ] }.',
  },
);

const claimValue = Type.Union([text(), Type.Number(), Type.Boolean()], {
  description: 'text, a number, true or false',
});
const Claim = Type.Union(
  [
    record({ equals: claimValue }, undefined, 'That value; host.NAME and path.NAME are captures of the match.'),
    record({ one_of: Type.Array(claimValue, { minItems: 1 }) }, undefined, 'One of these values.'),
    record({ contains: claimValue }, undefined, 'A list that has the value.'),
  ],
  { description: 'exactly one of { equals: … }, { one_of: [ … ] } or { contains: … }' },
);

const RateLimit = record(
  {
    by: text(undefined, 'client_id | sub | address | claim:NAME, whose requests are counted together.'),
    requests: count(undefined, 'So many pass …'),
    per: duration(undefined, '… in any window of this length, 1s to 1d; above: 429.'),
  },
  undefined,
  'How often one client, user, address or holder of a claim may come.',
);

export const modes = ['enforce', 'shadow'] as const;

export const endings = ['token', 'request'] as const;

export const switches = ['on', 'off'] as const;

export const RouteSchema = record(
  {
    id: Type.Optional(text(undefined, 'In logs and metrics. Default: made from methods and path.')),
    match: record(
      {
        host: Type.Optional(text(undefined, 'A name, or a pattern such as {tenant}.api.example.com.')),
        path: Type.String({
          minLength: 1,
          description: 'literal, {name} (one segment), {name*} (the rest, also empty).',
        }),
        methods: Type.Optional(Type.Array(text(), { minItems: 1, description: 'Absent: every method.' })),
        headers: Type.Optional(
          named(text(), undefined, 'Header name → the value that it must have; twice, or as X_Env for X-Env: 400.'),
        ),
        query: Type.Optional(
          named(
            text(),
            undefined,
            'Query parameter → the value that it must have; twice, or as op[], OP or ;op= for op, or f[a]x for f[a]: 400.',
          ),
        ),
        soap_action: Type.Optional(
          text(
            undefined,
            'The SOAPAction header of SOAP 1.1, or the action parameter of SOAP 1.2, with attachments too; one that readers of a media type find in different places: 400.',
          ),
        ),
      },
      undefined,
      'The requests that the route is for.',
    ),
    upstream: Type.Optional(text(undefined, 'The name of one of `upstreams`. Default: that of `defaults`.')),
    auth: Type.Optional(Auth),
    ...schemeBlocks,
    access: Type.Optional(oneOf(['public', 'optional', 'authenticated'], undefined, 'Absent: scope is required.')),
    scope: Type.Optional(Scope),
    claims: Type.Optional(named(Claim, undefined, 'Claim, or path of claims → what it must be.')),
    when: Type.Optional(
      text(
        undefined,
        'A CEL expression over `request` and `identity` that must be true. The pattern of `matches` is RE2 in quotes. A header or parameter that it reads must occur once: twice, or as X_Env for X-Env, or as op[], OP or ;op= for op, is 400. If it may read any, this applies to each one except lists such as Accept, Via and X-Forwarded-For.',
      ),
    ),
    audience: Type.Optional(
      text(undefined, "The value that `aud` must contain. The default is the authorization server's."),
    ),
    resource: Type.Optional(text(undefined, 'RFC 9728: a protected resource of its own.')),
    rate_limit: Type.Optional(RateLimit),
    mode: Type.Optional(oneOf(modes, undefined, 'Default: that of the file.')),
    cors: Type.Optional(oneOf(['upstream'], undefined, 'upstream: preflights and CORS headers are its own business.')),
    rewrite: Type.Optional(
      record(
        {
          strip_prefix: Type.Optional(text(undefined, 'Taken away from the beginning of the path.')),
          add_prefix: Type.Optional(text(undefined, 'Then put before it.')),
        },
        undefined,
        'The path that the upstream gets instead.',
      ),
    ),
    authorization_servers: Type.Optional(
      Type.Array(text(), { minItems: 1, description: 'Names of those whose tokens are taken. Default: all.' }),
    ),
    bearer_methods_supported: Type.Optional(bearerMethodsSupported()),
    forward_credential: flag(false, 'true: the upstream sees the credential too.'),
    encoded_slashes: oneOf(['refuse', 'keep'], 'refuse', '%2f in a path.'),
    path_parameters: oneOf(['refuse', 'keep'], 'refuse', '; or %3b in a path.'),
    identity_headers: Type.Optional(identityHeaders()),
    pass_headers: Type.Optional(passHeaders()),
    timeout: Type.Optional(RouteTimeout),
    request_buffering: oneOf(
      switches,
      'on',
      'on: an upload gets a connection of the upstream when its end or its first 64 KiB is here, or 250 ms after its last byte; off: at once.',
    ),
    end_with: oneOf(
      endings,
      'request',
      'token: WebSockets, event streams, downloads and uploads end when the token expires or is revoked. request: they continue.',
    ),
    limits: Type.Optional(
      record(
        {
          body: Type.Optional(sizeOrNone(undefined, 'Request body; above: 413.')),
          form_body: Type.Optional(size(undefined, 'A form that is read for its access_token; above: 413.')),
        },
        undefined,
        'In place of the `limits` of the file.',
      ),
    ),
  },
  undefined,
  'Which requests, and what they need.',
);

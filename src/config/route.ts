import Type from 'typebox';
import { duration, durationOrNone, flag, list, named, oneOf, record, size, sizeOrNone, text } from './schema.ts';

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
    'What the upstream is told about the caller.',
  );

const RouteTimeout = record({
  response: Type.Optional(duration()),
  idle: Type.Optional(durationOrNone()),
});

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

export const RouteSchema = record(
  {
    id: Type.Optional(text(undefined, 'In logs and metrics. Default: made from methods and path.')),
    match: record({
      host: Type.Optional(text()),
      path: Type.String({
        minLength: 1,
        description: 'literal, {name} (one segment), {name*} (the rest, also empty).',
      }),
      methods: Type.Optional(Type.Array(text(), { minItems: 1 })),
    }),
    upstream: Type.Optional(text()),
    access: Type.Optional(oneOf(['public', 'optional', 'authenticated'], undefined, 'Absent: scope is required.')),
    scope: Type.Optional(Scope),
    audience: Type.Optional(text()),
    authorization_servers: Type.Optional(Type.Array(text(), { minItems: 1 })),
    bearer_methods_supported: Type.Optional(bearerMethodsSupported()),
    forward_credential: flag(false, 'true: the upstream sees the credential too.'),
    encoded_slashes: oneOf(['refuse', 'keep'], 'refuse', '%2f in a path.'),
    path_parameters: oneOf(['refuse', 'keep'], 'refuse', '; in a path.'),
    identity_headers: Type.Optional(identityHeaders()),
    timeout: Type.Optional(RouteTimeout),
    limits: Type.Optional(record({ body: Type.Optional(sizeOrNone()), form_body: Type.Optional(size()) })),
  },
  undefined,
  'Which requests, and what they need.',
);

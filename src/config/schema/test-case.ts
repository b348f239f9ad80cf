import * as Type from 'typebox';
import { anything, count, named, oneOf, record, text } from '../words/schema.ts';

/** An assumed identity: nothing is signed, and no server is asked. */
const AssumedTokenSchema = record(
  {
    scope: Type.Optional(text(undefined, 'Space-delimited.')),
    sub: Type.Optional(text(undefined, 'The user.')),
    client_id: Type.Optional(text(undefined, 'The client.')),
    aud: Type.Optional(
      Type.Union([text(), Type.Array(text(), { minItems: 1 })], { description: 'one audience, or a list' }),
    ),
    server: Type.Optional(
      text(undefined, "The authorization server that issued it. The default is the route's first."),
    ),
    claims: Type.Optional(named(anything(), undefined, 'Further claims.')),
  },
  undefined,
  'The token of the request, as if it had been verified; for every audience unless `aud` says otherwise.',
);

const Forwarded = record({
  forward: Type.Unsafe<true>({ type: 'boolean', const: true, description: 'The request goes to an upstream.' }),
  route: Type.Optional(text(undefined, 'The id of the route that forwards it.')),
});

const Refused = record({
  refuse: count(undefined, 'The status.', 400),
  code: Type.Optional(text(undefined, 'One of docs/errors.md.')),
  error: Type.Optional(
    oneOf(
      ['invalid_request', 'invalid_token', 'insufficient_scope'],
      undefined,
      'The `error` of the challenge (RFC 6750 §3.1).',
    ),
  ),
});

export const TestSchema = record(
  {
    request: text(
      undefined,
      'GET /orders/7, or GET https://host/orders/7; the host is that of `resource` unless given.',
    ),
    headers: Type.Optional(named(text(), undefined, 'Header name → its value.')),
    token: Type.Optional(AssumedTokenSchema),
    user: Type.Optional(
      text(
        undefined,
        'An assumed user of Basic or Digest, or an assumed client or key id of an API key. Other routes have no user.',
      ),
    ),
    expect: Type.Union([Forwarded, Refused], {
      description: '{ forward: true, route: … } or { refuse: STATUS, code: …, error: … }',
    }),
  },
  undefined,
  'A request and what must become of it.',
);

export type TestConfig = Type.Static<typeof TestSchema>;
export type AssumedToken = Type.Static<typeof AssumedTokenSchema>;

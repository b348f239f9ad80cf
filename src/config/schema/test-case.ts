import * as Type from 'typebox';
import { anything, count, named, oneOf, record, text } from '../words/schema.ts';

/** An identity that is taken for granted: nothing is signed, and nobody is asked. */
const AssumedTokenSchema = record(
  {
    scope: Type.Optional(text(undefined, 'Space-delimited.')),
    sub: Type.Optional(text(undefined, 'The user.')),
    client_id: Type.Optional(text(undefined, 'The client.')),
    aud: Type.Optional(
      Type.Union([text(), Type.Array(text(), { minItems: 1 })], { description: 'one audience, or a list' }),
    ),
    server: Type.Optional(
      text(undefined, 'The authorization server that vouches for it. Default: the first of the route.'),
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
    oneOf(['invalid_request', 'invalid_token', 'insufficient_scope'], undefined, 'Of the challenge (RFC 6750 §3.1).'),
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
        'A user of Basic or Digest as if the password had been verified, or a client, or the id of a key, as if the API key had been; on other routes nobody.',
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

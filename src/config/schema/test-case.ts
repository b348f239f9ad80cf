import * as Type from 'typebox';
import { anything, count, named, oneOf, record, text } from '../words/schema.ts';

/** An assumed token. Nothing is signed, and no server is asked. */
const AssumedTokenSchema = record(
  {
    scope: Type.Optional(text(undefined, 'The token has this space-delimited scope.')),
    sub: Type.Optional(text(undefined, 'The token belongs to this user.')),
    client_id: Type.Optional(text(undefined, 'The token belongs to this client.')),
    aud: Type.Optional(
      Type.Union([text(), Type.Array(text(), { minItems: 1 })], {
        description: 'The token has this audience, or this list of audiences.',
      }),
    ),
    server: Type.Optional(
      text(undefined, "This authorization server issued the token. The default is the route's first server."),
    ),
    claims: Type.Optional(named(anything(), undefined, 'The token also has these claims.')),
  },
  undefined,
  'The test assumes that this token is verified. Without `aud`, the token is valid for every audience.',
);

const Forwarded = record({
  forward: Type.Unsafe<true>({ type: 'boolean', const: true, description: 'The request goes to an upstream.' }),
  route: Type.Optional(text(undefined, 'The route with this id forwards the request.')),
});

const Refused = record({
  refuse: count(undefined, 'The gateway refuses the request with this status.', 400),
  code: Type.Optional(text(undefined, 'The refusal has this code of docs/errors.md.')),
  error: Type.Optional(
    oneOf(
      ['invalid_request', 'invalid_token', 'insufficient_scope'],
      undefined,
      'The challenge has this `error` (RFC 6750 §3.1).',
    ),
  ),
});

export const TestSchema = record(
  {
    request: text(
      undefined,
      'This is the request: GET /orders/7, or GET https://host/orders/7. Without a host, the test uses the host of `resource`, or localhost if `resource` is not set.',
    ),
    headers: Type.Optional(named(text(), undefined, 'The request has these headers.')),
    mcp: Type.Optional(
      text(
        undefined,
        'The request has a message with this operation, such as ping or tools/call delete_user. The route must have `mcp`.',
      ),
    ),
    token: Type.Optional(AssumedTokenSchema),
    user: Type.Optional(
      text(
        undefined,
        'The test assumes that this user sends valid credentials for Basic or Digest. On routes with API keys, this is the name of a client or the id of a key. This setting has no effect on routes without these schemes.',
      ),
    ),
    expect: Type.Union([Forwarded, Refused], {
      description: 'The outcome must be { forward: true, route: … } or { refuse: STATUS, code: …, error: … }.',
    }),
  },
  undefined,
  'A test is a request with its expected outcome.',
);

export type TestConfig = Type.Static<typeof TestSchema>;
export type AssumedToken = Type.Static<typeof AssumedTokenSchema>;

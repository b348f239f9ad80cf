import type { Static } from 'typebox';
import * as Type from 'typebox';
import { grantTypes } from '../words/grant-types.ts';

export type { GrantType } from '../words/grant-types.ts';

import { anything, duration, flag, list, named, oneOf, record, text } from '../words/schema.ts';

export const tokenFormats = ['opaque', 'jwt'] as const;
export type TokenFormat = (typeof tokenFormats)[number];

export const ClientSettings = record(
  {
    client_id: Type.Optional(text(undefined, 'Or app_id; one of them is required.')),
    app_id: Type.Optional(text(undefined, 'The same as `client_id`.')),
    client_secret: Type.Optional(text(undefined, 'Or app_secret, or client_secret_sha256. Absent: a public client.')),
    app_secret: Type.Optional(text(undefined, 'The same as `client_secret`.')),
    client_secret_sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the secret, lower-case hex.' }),
    ),
    client_name: Type.Optional(text(undefined, 'For people.')),
    redirect_uris: list(
      text(),
      [],
      'Where a browser may be sent back to, compared byte by byte; only the port of a loopback address may differ.',
    ),
    scope: Type.Optional(text(undefined, 'Space-delimited: the upper bound of every later grant.')),
    grant_types: list(oneOf(grantTypes), [], 'Grants that the client may use.'),
    access_token_format: Type.Optional(oneOf(tokenFormats, undefined, 'Default: `tokens.access.format`.')),
    require_pkce: flag(true, 'false: a client with a secret may leave out PKCE (RFC 7636).'),
    retry_window: Type.Optional(duration(undefined, 'Default: `tokens.refresh.retry_window`.')),
    session: flag(false, 'true: may use the browserless exchange for a session key.'),
    claims: named(anything(), {}, 'Facts about the client; `tokens.access.claims` says which go into tokens.'),
    introspect: flag(false, 'true: may ask the introspection endpoint about any token.'),
    events: flag(false, 'true: may follow the revocation feed, as a gateway does.'),
    keys: flag(false, 'true: may fetch the keys of users, where they are secrets (`signing`: HS256 with `user_keys`).'),
  },
  undefined,
  'A client, registered in advance (RFC 6749 §2).',
);

export type ClientFile = Static<typeof ClientSettings>;

/** Once loaded, a client has one spelling of its names: client_id, client_secret. Durations in milliseconds. */
export type ClientConfig = Omit<ClientFile, 'client_id' | 'app_id' | 'app_secret' | 'retry_window'> & {
  readonly client_id: string;
  readonly retry_window: number;
};

import type { Static } from 'typebox';
import * as Type from 'typebox';
import { clientAuthMethods } from '../words/client-auth-methods.ts';
import { grantTypes } from '../words/grant-types.ts';
import { idTokenAlgorithms, subjectTypes } from '../words/openid-choices.ts';

export type { ClientAuthMethod } from '../words/client-auth-methods.ts';
export type { GrantType } from '../words/grant-types.ts';

import { anything, duration, flag, list, named, oneOf, record, text } from '../words/schema.ts';

export const tokenFormats = ['opaque', 'jwt'] as const;
export type TokenFormat = (typeof tokenFormats)[number];

export const ClientSettings = record(
  {
    client_id: Type.Optional(
      text(undefined, 'The client has this identifier. Either `client_id` or `app_id` is required.'),
    ),
    app_id: Type.Optional(text(undefined, 'This is another name for `client_id`.')),
    client_secret: Type.Optional(
      text(
        undefined,
        'The client has this secret. A client without a secret is a public client, unless it uses private_key_jwt.',
      ),
    ),
    app_secret: Type.Optional(text(undefined, 'This is another name for `client_secret`.')),
    client_secret_sha256: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description:
          'This is the SHA-256 hash of the secret in lowercase hex. Write this key in place of `client_secret`.',
      }),
    ),
    token_endpoint_auth_method: Type.Optional(
      oneOf(
        clientAuthMethods,
        undefined,
        'The client authenticates by this method. By default, a client with a secret may send the secret by Basic or in the form. private_key_jwt: the client signs a JWT for each request (RFC 7523), and has no secret.',
      ),
    ),
    jwks: Type.Optional(anything('This is the JWK Set with the public keys of the client, for private_key_jwt.')),
    jwks_uri: Type.Optional(text(undefined, 'The service reads the JWK Set of the client at this URL.')),
    client_name: Type.Optional(text(undefined, 'Pages show this name.')),
    redirect_uris: list(
      text(),
      [],
      'The service may send the browser back to these addresses. An address must match byte by byte. Only the port of a loopback address (127.0.0.1 or [::1]) may differ.',
    ),
    scope: Type.Optional(text(undefined, 'The client may request at most this space-delimited scope.')),
    grant_types: list(oneOf(grantTypes), [], 'The client may use these grants.'),
    access_token_format: Type.Optional(
      oneOf(
        tokenFormats,
        undefined,
        'Access tokens of this client have this format. The default is `tokens.access.format`.',
      ),
    ),
    require_pkce: flag(
      true,
      'false: a confidential client may omit PKCE (RFC 7636). A public client must always use PKCE.',
    ),
    retry_window: Type.Optional(
      duration(undefined, 'This value replaces `tokens.refresh.retry_window` for this client.'),
    ),
    session: flag(false, 'true: the client may get session keys by the browserless exchange.'),
    post_logout_redirect_uris: list(
      text(),
      [],
      'The service may send the browser to these addresses after a logout. An address must match byte by byte.',
    ),
    backchannel_logout_uri: Type.Optional(
      text(undefined, 'The service sends a logout token to this URL when a session of a user ends.'),
    ),
    backchannel_logout_session_required: flag(
      false,
      'This setting changes nothing: logout tokens of this service always have a `sid`.',
    ),
    default_max_age: Type.Optional(
      duration(
        undefined,
        'Users must log in again if their login is older than this (at least 1s). `max_age` in a request replaces this value.',
      ),
    ),
    id_token_signed_response_alg: Type.Optional(
      oneOf(idTokenAlgorithms, undefined, 'This value replaces `openid.id_token.alg` for this client.'),
    ),
    userinfo_signed_response_alg: Type.Optional(
      oneOf(
        idTokenAlgorithms,
        undefined,
        'The answer of /oauth2/userinfo for this client is a JWT, signed with this algorithm. By default, the answer is JSON.',
      ),
    ),
    subject_type: Type.Optional(
      oneOf(subjectTypes, undefined, 'This value replaces `openid.subject` for this client.'),
    ),
    sector_identifier_uri: Type.Optional(
      text(
        undefined,
        'The document at this URL is a JSON array with all `redirect_uris` of the client. Clients whose `sector_identifier_uri` has the same host see the same pairwise `sub` of a user. Without this key, the service uses the host of the https `redirect_uris`. A client without such a host sees a `sub` that no other client sees.',
      ),
    ),
    claims: named(
      anything(),
      {},
      'These are facts about the client. `tokens.access.claims` says which facts tokens contain.',
    ),
    introspect: flag(false, 'true: the client may introspect any token.'),
    events: flag(false, 'true: the client may follow the revocation feed, as a gateway does.'),
    keys: flag(
      false,
      'true: the client may fetch the keys of users, even if these keys are secrets (`signing`: HS256 with `user_keys`).',
    ),
  },
  undefined,
  'This is a client, registered in advance (RFC 6749 §2).',
);

export type ClientFile = Static<typeof ClientSettings>;

/** The loaded form: the names are client_id and client_secret, and durations are in milliseconds. */
export type ClientConfig = Omit<ClientFile, 'client_id' | 'app_id' | 'app_secret' | 'retry_window'> & {
  readonly client_id: string;
  readonly retry_window: number;
};

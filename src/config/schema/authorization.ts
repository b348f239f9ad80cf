import type { Static } from 'typebox';
import * as Type from 'typebox';
import { storagePattern, storageServers, storageWritten } from '../../base/storage-urls.ts';

export type { ClientConfig, ClientFile, GrantType, TokenFormat } from './client.ts';
export type { ClaimSource } from './token-settings.ts';
export type { UserConfig, UserFile } from './user.ts';

import {
  address,
  count,
  duration,
  durationOrNone,
  flag,
  list,
  named,
  oneOf,
  record,
  sizeOrNone,
  text,
} from '../words/schema.ts';
import { type ClientConfig, ClientSettings } from './client.ts';
import { type CountersConfig, counters } from './counters.ts';
import { Log, Shutdown } from './process.ts';
import { themeNames } from './theme.ts';
import { Tokens, type TokensConfig } from './token-settings.ts';
import { User, type UserConfig } from './user.ts';

/**
 * authorization.yaml: schema and type in one declaration. A property with a default is never absent in the program.
 * Client metadata is named as in RFC 7591; `app_id` and `app_secret` are accepted for `client_id` and `client_secret`.
 */

export const AuthorizationSchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'The version of this file format.' }),
  development: flag(false, 'true: an http issuer beyond loopback and plain passwords of users are allowed.'),
  issuer: text(undefined, 'The issuer identifier (RFC 8414): never taken from the Host header.'),
  listen: address('127.0.0.1:8081', 'Where clients connect; TLS ends before it.'),
  admin: Type.Optional(
    address(
      undefined,
      'Management listener: never on a public address. On loopback it answers to loopback names only.',
    ),
  ),
  health: Type.Optional(address(undefined, 'Only /livez, /readyz, /metrics. Off by default.')),
  trusted_proxies: list(text(), [], 'CIDRs whose X-Forwarded-For is believed.'),
  storage: Type.String({
    default: 'sqlite:data/gatehouse.db',
    pattern: storagePattern(),
    description: `${storageWritten()}.`,
  }),
  encryption_keys: Type.Optional(
    list(
      text(),
      undefined,
      `32 bytes of base64 each; the first encrypts, all decrypt. Absent: made beside the database, mode 0600; required with \`${storageServers()}\`.`,
    ),
  ),
  counters: counters('how often a wrong secret was given'),
  signing: record(
    {
      alg: oneOf(['EdDSA', 'ES256', 'RS256', 'HS256'], 'ES256', 'How the service signs JWT access tokens.'),
      secret_base64url: Type.Optional(
        text(undefined, 'For HS256: 32 bytes at least, shared with every verifier, never published.'),
      ),
      user_keys: flag(
        false,
        'true: what a user grants is signed with a key of that user, so that rotating it ends the JWTs of one user; gateways fetch it by its `kid`.',
      ),
      rotate_on_password_change: flag(true, 'A new password rotates the key of the user, where there are `user_keys`.'),
    },
    {},
    'How tokens are signed.',
  ),
  resources: Type.Array(text(), {
    minItems: 1,
    description: 'Resource indicators (RFC 8707); the first is the default `aud`.',
  }),
  tokens: Tokens,
  scopes: named(text(), {}, 'Scope → what it allows, in words.'),
  scope_excess: oneOf(
    ['reject', 'narrow'],
    'reject',
    'A request for more than the client registered: invalid_scope, or granted in part.',
  ),
  session: record(
    {
      enabled: flag(false, 'true: /oauth2/session exchanges a code for a session key.'),
      allow_query: flag(true, 'Its parameters may stand in the query, secret included; they are kept out of the log.'),
      errors: oneOf(['oauth', 'errcode'], 'oauth', 'errcode: every refusal is status 200 with `errcode` and `errmsg`.'),
    },
    {},
    'The browserless exchange.',
  ),
  compat: record(
    {
      aliases: flag(true, 'Accept app_id, app_secret and their like.'),
      app_id_claim: flag(false, 'true: tokens carry `app_id` beside `client_id`.'),
      jwt_typ: oneOf(['at+jwt', 'JWT'], 'at+jwt', 'The `typ` of JWT access tokens (RFC 9068 §2.1).'),
    },
    {},
    'For clients and resource servers that cannot follow the specifications.',
  ),
  clients: list(ClientSettings, [], 'The clients that may request tokens.'),
  users: list(User, [], 'The users that may log in.'),
  login: record(
    {
      max_failures: count(
        10,
        'Wrong secrets of one client, or wrong passwords of one user, from one address; and ten times as many wrong passwords from one address …',
      ),
      window: duration(
        '15m',
        'The window for `max_failures`. More failures are answered with 429. An IPv6 /64 counts as one address. A /56 has twice this limit, a /48 four times.',
      ),
      max_failures_a_day: count(
        100,
        'Wrong passwords of one user in a day, from all addresses; above: 429. Browsers that this user logged in with before are not concerned, nor are addresses where the right password came from in the last 30 days.',
      ),
    },
    {},
    'Against guessing of secrets.',
  ),
  theme: record(
    {
      logo: Type.Optional(text(undefined, 'File: .svg or .png.')),
      css: named(text(), {}, `Variable → value: ${themeNames.join(', ')}.`),
    },
    {},
    'How the hosted pages look.',
  ),
  audit: Type.Optional(
    record(
      {
        file: text(undefined, 'One line of JSON for each event, relative to this file.'),
        max_size: sizeOrNone(
          '100MiB',
          'A file that has grown to this is put aside as `FILE.1`, and a new one begins; none: another program does that.',
        ),
        max_files: count(9, 'Files that were put aside; with one more, the oldest is removed.'),
        max_age: durationOrNone('365d', 'A file that was put aside is removed so long after its last line.'),
      },
      undefined,
      'Where the service logs who did what.',
    ),
  ),
  log: Log,
  shutdown: Shutdown,
});

export type AuthorizationFile = Static<typeof AuthorizationSchema>;
/** As the program uses it: one spelling of each name, durations in milliseconds, no default left open. */
export type AuthorizationConfig = Omit<AuthorizationFile, 'clients' | 'users' | 'tokens' | 'counters'> & {
  readonly counters: CountersConfig;
  readonly tokens: TokensConfig;
  readonly clients: ClientConfig[];
  readonly users: UserConfig[];
};

import type { Static } from 'typebox';
import * as Type from 'typebox';
import { storagePattern, storageServers, storageWritten } from '../../base/storage-urls.ts';

export type { IdTokenAlgorithm } from '../words/openid-choices.ts';
export type { ClientConfig, ClientFile, GrantType, TokenFormat } from './client.ts';
export type { RegistrationConfig } from './registration.ts';
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
import { Openid, type OpenidConfig, Outbound } from './openid.ts';
import { Log, Shutdown } from './process.ts';
import { Registration } from './registration.ts';
import { SentSecurityEvents } from './security-events.ts';
import { themeNames } from './theme.ts';
import { Tokens, type TokensConfig } from './token-settings.ts';
import { User, type UserConfig } from './user.ts';

/**
 * The schema and the type of authorization.yaml. A property with a default is never absent in the program. Client metadata have
 * the names of RFC 7591. `app_id` and `app_secret` are also accepted for `client_id` and `client_secret`.
 */

export const AuthorizationSchema = record({
  version: Type.Unsafe<1>({ type: 'integer', const: 1, description: 'The version of this file format.' }),
  development: flag(
    false,
    'true: the issuer, and URLs of clients and receivers, may be http even if they are not on loopback. Users may have plain-text passwords.',
  ),
  issuer: text(undefined, 'This is the issuer identifier (RFC 8414). The service never takes it from the Host header.'),
  listen: address('127.0.0.1:8081', 'Clients connect to this address. A proxy in front must end TLS.'),
  admin: Type.Optional(
    address(
      undefined,
      'The management listener has this address. Never make it public. On a loopback address, it answers only if Host is a loopback name.',
    ),
  ),
  health: Type.Optional(
    address(undefined, 'This listener serves only /livez, /readyz and /metrics. It is off by default.'),
  ),
  trusted_proxies: list(text(), [], 'The service trusts X-Forwarded-For from these CIDRs.'),
  storage: Type.String({
    default: 'sqlite:data/gatehouse.db',
    pattern: storagePattern(),
    description: `The service keeps its data here: ${storageWritten()}.`,
  }),
  encryption_keys: Type.Optional(
    list(
      text(),
      undefined,
      `These keys protect secrets in the database. Each key has 32 bytes, in base64. The service encrypts with the first key, and can decrypt with all. By default, it makes a key file beside the database, with mode 0600. The keys are required with \`${storageServers()}\`.`,
    ),
  ),
  counters: counters('wrong secrets and passwords, token requests and registrations'),
  signing: record(
    {
      alg: oneOf(
        ['EdDSA', 'ES256', 'RS256', 'HS256'],
        'ES256',
        'The service signs JWT access tokens with this algorithm.',
      ),
      secret_base64url: Type.Optional(
        text(
          undefined,
          'This is the secret for HS256, with at least 32 bytes. Share it with every verifier, and never publish it.',
        ),
      ),
      user_keys: flag(
        false,
        'true: each user has a separate key, which signs the tokens of this user. If you rotate the key of one user, only the JWTs of this user become invalid. Gateways fetch the key by its `kid`.',
      ),
      rotate_on_password_change: flag(true, 'true: with `user_keys`, a new password rotates the key of the user.'),
    },
    {},
    'These settings say how the service signs tokens.',
  ),
  resources: Type.Array(text(), {
    minItems: 1,
    description: 'Clients may ask for these resource indicators (RFC 8707). The first is the default `aud`.',
  }),
  tokens: Tokens,
  scopes: named(text(), {}, 'Each scope has a text that tells users what the scope allows.'),
  scope_excess: oneOf(
    ['reject', 'narrow'],
    'reject',
    'This setting applies if a client requests more scope than it registered. reject: the service answers invalid_scope. narrow: it grants the registered part.',
  ),
  openid: Openid,
  registration: Registration,
  security_events: SentSecurityEvents,
  outbound: Outbound,
  session: record(
    {
      enabled: flag(false, 'true: /oauth2/session exchanges a code for a session key.'),
      allow_query: flag(
        true,
        'true: the parameters of this exchange may be in the query, including the secret. The service never logs the query.',
      ),
      errors: oneOf(
        ['oauth', 'errcode'],
        'oauth',
        'oauth: the service answers errors by RFC 6749. errcode: it answers every refusal with status 200, `errcode` and `errmsg`.',
      ),
    },
    {},
    'These settings apply to the browserless exchange.',
  ),
  compat: record(
    {
      aliases: flag(true, 'true: the service also accepts app_id, app_secret and similar names.'),
      app_id_claim: flag(false, 'true: tokens contain `app_id` and `client_id`.'),
      jwt_typ: oneOf(['at+jwt', 'JWT'], 'at+jwt', 'JWT access tokens have this `typ` (RFC 9068 §2.1).'),
    },
    {},
    'These settings help clients and resource servers that cannot follow the specifications.',
  ),
  clients: list(ClientSettings, [], 'These clients may request tokens.'),
  users: list(User, [], 'These users may log in.'),
  login: record(
    {
      max_failures: count(
        10,
        'One client or user may send this many wrong secrets from one address. All users of one address may send ten times as many wrong passwords.',
      ),
      window: duration(
        '15m',
        'The first wrong secret begins this window. After `max_failures`, the service answers 429 until the window ends. Even then, it accepts the right secret of a client, but not the right password of a user. An IPv6 /64 counts as one address. A /56 may send twice as many wrong secrets, and a /48 four times as many.',
      ),
      max_failures_a_day: count(
        100,
        'One user may have this many wrong passwords in a day, from all addresses together. After that, the service answers 429. The limit does not apply to addresses that sent the right password in the last 30 days. A browser in which this user logged in before has a separate count with the same limit.',
      ),
    },
    {},
    'These limits stop attackers who guess secrets.',
  ),
  site_name: Type.Optional(
    text(
      undefined,
      'Pages show this name at the top and in the title of the tab. A logo replaces the name at the top, and has the name as its alternative text. The default is the host of the issuer.',
    ),
  ),
  theme: record(
    {
      logo: Type.Optional(text(undefined, 'Pages show the picture in this file: .svg or .png.')),
      css: named(text(), {}, `Pages use these CSS variables: ${themeNames.join(', ')}.`),
    },
    {},
    'These settings change how the hosted pages look.',
  ),
  audit: Type.Optional(
    record(
      {
        file: text(
          undefined,
          'The service writes one line of JSON for each event to this file, relative to the configuration file.',
        ),
        max_size: sizeOrNone(
          '100MiB',
          'When the file reaches this size, the service renames it to `FILE.1` and begins a new file. With none, another program must rotate the file.',
        ),
        max_files: count(9, 'The service keeps at most this many rotated files, and removes older files.'),
        max_age: durationOrNone('365d', 'The service removes a rotated file this long after its last line.'),
      },
      undefined,
      'The audit log records who did what.',
    ),
  ),
  log: Log,
  shutdown: Shutdown,
});

export type AuthorizationFile = Static<typeof AuthorizationSchema>;
/** The form that the program uses: one spelling of each name, durations in milliseconds, and all defaults filled in. */
export type AuthorizationConfig = Omit<AuthorizationFile, 'clients' | 'users' | 'tokens' | 'counters' | 'openid'> & {
  readonly counters: CountersConfig;
  readonly tokens: TokensConfig;
  readonly openid: OpenidConfig;
  readonly clients: ClientConfig[];
  readonly users: UserConfig[];
};

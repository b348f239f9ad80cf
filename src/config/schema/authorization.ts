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
    'true: the issuer and the URLs of clients and receivers may be http URLs on any host. Users may have plain-text passwords. false: such URLs may be http URLs only on loopback.',
  ),
  issuer: text(undefined, 'This is the issuer identifier (RFC 8414). The service never takes it from the Host header.'),
  listen: address(
    '127.0.0.1:8081',
    'Clients connect to this address. The service does not speak TLS, so a proxy in front of it must end TLS.',
  ),
  admin: Type.Optional(
    address(
      undefined,
      'The admin listener has this address. Never make this listener public. On a loopback address, the listener answers only if the Host header has a loopback name.',
    ),
  ),
  health: Type.Optional(
    address(
      undefined,
      'The health listener has this address. It serves only /livez, /readyz and /metrics. The listener is off by default.',
    ),
  ),
  trusted_proxies: list(
    text(),
    [],
    'The service trusts X-Forwarded-For and X-Forwarded-Proto from proxies in these CIDRs.',
  ),
  storage: Type.String({
    default: 'sqlite:data/gatehouse.db',
    pattern: storagePattern(),
    description: `The service keeps its data here: ${storageWritten()}.`,
  }),
  encryption_keys: Type.Optional(
    list(
      text(),
      undefined,
      `These keys protect secrets in the database. Each key has 32 bytes, in base64. The service encrypts with the first key, and can decrypt with every key. By default, it makes a key file beside the SQLite database, with mode 0600. The keys are required with \`${storageServers()}\`.`,
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
        'true: each user has a separate key. The service signs the JWTs of a user with the key of this user. If you rotate the key of one user, only the JWTs of this user become invalid. Gateways fetch the key by its `kid`.',
      ),
      rotate_on_password_change: flag(
        true,
        'true: with `user_keys`, the service rotates the key of a user who gets a new password.',
      ),
    },
    {},
    'These settings say how the service signs tokens.',
  ),
  resources: Type.Array(text(), {
    minItems: 1,
    description: 'Clients may request tokens for these resources (RFC 8707). The first resource is the default `aud`.',
  }),
  tokens: Tokens,
  scopes: named(text(), {}, 'Each scope has a text that tells users what the scope allows.'),
  scope_excess: oneOf(
    ['reject', 'narrow'],
    'reject',
    'This setting applies if a client requests a scope that it did not register. reject: the service answers invalid_scope. narrow: the service grants only the registered scopes.',
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
        'true: the parameters of the browserless exchange may be in the query, including the secret. The service never logs the query.',
      ),
      errors: oneOf(
        ['oauth', 'errcode'],
        'oauth',
        'oauth: refusals have the form of RFC 6749. errcode: every refusal has status 200, `errcode` and `errmsg`, except a wrong method (405).',
      ),
    },
    {},
    'These settings apply to the browserless exchange.',
  ),
  compat: record(
    {
      aliases: flag(true, 'true: the service also accepts app_id, app_secret and similar names.'),
      app_id_claim: flag(
        false,
        'true: JWT access tokens, and introspection answers about access tokens, also have `app_id`, with the value of `client_id`. Answers with a token also have `rscope`, with the value of `scope`. Answers to registrations also have `app_id`, and `app_secret` if they have `client_secret`.',
      ),
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
        'One client or user may send this many wrong secrets from one address. All users together may send ten times as many wrong passwords from one address.',
      ),
      window: duration(
        '15m',
        'The first wrong secret begins this window, which is from 1s to 1d. After `max_failures` wrong secrets, the service answers 429 until the window ends. During this time, it still accepts the right secret of a client, but it rejects the right password of a user. An IPv6 /64 counts as one address. An IPv6 /56 may send twice as many wrong secrets, and a /48 four times as many.',
      ),
      max_failures_a_day: count(
        100,
        'The service allows this many wrong passwords for one user in a day, from all addresses together. After that, it answers 429 for this user. The service remembers an address that sent the right password of this user for 30 to 60 days. The limit does not apply to such an address. A browser in which this user logged in before has a separate count with the same limit.',
      ),
    },
    {},
    'These limits stop attackers who guess secrets.',
  ),
  site_name: Type.Optional(
    text(
      undefined,
      'Pages show this name at the top and in the title of the tab. A logo replaces the name at the top. The name is then the alternative text of the logo. The default is the host of the issuer.',
    ),
  ),
  theme: record(
    {
      logo: Type.Optional(text(undefined, 'Pages show the picture in this .svg or .png file at the top.')),
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
          'When the file reaches this size, the service renames it to `FILE.1` and begins a new file. With `none`, another program must rotate the file.',
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

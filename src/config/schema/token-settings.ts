import type { Static } from 'typebox';
import { count, duration, named, oneOf, record, text } from '../words/schema.ts';
import { tokenFormats } from './client.ts';

export const Tokens = record(
  {
    code: record(
      { ttl: duration('60s', 'An authorization code is valid for this long, from 1s to 5m.') },
      {},
      'These settings apply to authorization codes.',
    ),
    access: record(
      {
        format: oneOf(
          tokenFormats,
          'opaque',
          'Access tokens have this format. `access_token_format` of a client replaces this value.',
        ),
        ttl: duration('1h', 'An opaque access token is valid for this long, at least 1s.'),
        jwt_ttl: duration('15m', 'A JWT access token is valid for this long, at least 1s.'),
        claims: named(
          text(),
          {},
          'Each claim takes its value from an entry in `claims` of the user (`user.NAME`) or of the client (`client.NAME`).',
        ),
      },
      {},
      'These settings apply to access tokens.',
    ),
    refresh: record(
      {
        ttl: duration(
          '7d',
          'A refresh token is valid for this long. Each use issues a new refresh token. The value must be longer than `ttl` and `jwt_ttl` in `tokens.access`.',
        ),
        absolute_ttl: duration(
          '30d',
          'A grant with refresh tokens ends this long after the service issued the first tokens of the grant. No access token or refresh token of the grant is valid longer. After that, the user must log in again. The value is at least `ttl`.',
        ),
        reuse_leeway: duration(
          '10s',
          'This time begins when a client uses a refresh token. If the client uses the same token again within this time, the service rejects the request and revokes nothing. After this time, a second use revokes all tokens of the grant. The service counts in whole seconds, so this time may last up to one second longer.',
        ),
        retry_window: duration(
          '0s',
          'A client that lost the answer may send the used refresh token again within this time. The service then sends the same tokens again.',
        ),
        access_token: oneOf(
          ['new', 'extend'],
          'new',
          'new: a refresh returns a new access token. extend: a refresh extends the lifetime of the old access token. Only opaque tokens can be extended.',
        ),
      },
      {},
      'These settings apply to refresh tokens.',
    ),
    session_key: record(
      { ttl: duration('7d', 'A session key is valid for this long, at least 1s.') },
      {},
      'These settings apply to session keys of the browserless exchange.',
    ),
    max_a_minute: count(
      6000,
      'One client at one address (or IPv6 /64) may request this many tokens and session keys in any minute. In any minute, one session may request at most a twentieth of this number of authorization codes for one client. Further requests get 429. 0 means no limit.',
      0,
    ),
  },
  {},
  'These settings define the form and the lifetime of tokens.',
);

type TokensFile = Static<typeof Tokens>;

/** The owner of the source claim, and its name. */
export interface ClaimSource {
  readonly of: 'user' | 'client';
  readonly name: string;
}

/** The loaded form: the sources of claims are parsed, and durations are in milliseconds. */
export type TokensConfig = Omit<TokensFile, 'access'> & {
  readonly access: Omit<TokensFile['access'], 'claims'> & { readonly claims: Readonly<Record<string, ClaimSource>> };
};

/** `user.tenant`, `client.env`; undefined for anything else. */
export function parseClaimSource(text: string): ClaimSource | undefined {
  const [, of, name] = /^(user|client)\.(.+)$/su.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { of: of === 'user' ? 'user' : 'client', name };
}

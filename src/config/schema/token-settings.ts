import type { Static } from 'typebox';
import { count, duration, named, oneOf, record, text } from '../words/schema.ts';
import { tokenFormats } from './client.ts';

export const Tokens = record(
  {
    code: record({ ttl: duration('60s', 'Of an authorization code; 5m at most.') }, {}, 'Authorization codes.'),
    access: record(
      {
        format: oneOf(tokenFormats, 'opaque', 'A client may override it.'),
        ttl: duration('1h', 'Of an opaque access token.'),
        jwt_ttl: duration('15m', 'Of a JWT access token.'),
        claims: named(
          text(),
          {},
          'Claim → `user.NAME` or `client.NAME`: the entry of `claims` that the claim takes its value from.',
        ),
      },
      {},
      'Access tokens.',
    ),
    refresh: record(
      {
        ttl: duration('7d', 'Of a refresh token; each use gives a new one.'),
        absolute_ttl: duration('30d', 'After this long the user logs in again, however often the token was used.'),
        reuse_leeway: duration(
          '10s',
          'A token used twice within this time is refused; later, all its kin are revoked.',
        ),
        retry_window: duration('0s', 'For this long a client that lost the answer gets the same tokens again.'),
        access_token: oneOf(
          ['new', 'extend'],
          'new',
          'A refresh gives a new access token, or makes the old one last longer (opaque only).',
        ),
      },
      {},
      'Refresh tokens.',
    ),
    session_key: record({ ttl: duration('7d', 'Of a session key.') }, {}, 'Keys of the browserless exchange.'),
    max_a_minute: count(
      6000,
      'Requests for tokens and session keys of one client from one address (of IPv6: its /64) in any minute, and a twentieth of it for codes of one session to one client; above: 429. 0: no limit.',
      0,
    ),
  },
  {},
  'Form and lifetime of tokens.',
);

type TokensFile = Static<typeof Tokens>;

/** Whose `claims` a claim is taken from, and which. */
export interface ClaimSource {
  readonly of: 'user' | 'client';
  readonly name: string;
}

/** Once loaded, the sources of claims are in parts. Durations in milliseconds. */
export type TokensConfig = Omit<TokensFile, 'access'> & {
  readonly access: Omit<TokensFile['access'], 'claims'> & { readonly claims: Readonly<Record<string, ClaimSource>> };
};

/** `user.tenant`, `client.env`; undefined for anything else. */
export function parseClaimSource(text: string): ClaimSource | undefined {
  const [, of, name] = /^(user|client)\.(.+)$/su.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { of: of === 'user' ? 'user' : 'client', name };
}

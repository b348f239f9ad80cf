import type { Static } from 'typebox';
import { count, duration, named, oneOf, record, text } from '../words/schema.ts';
import { tokenFormats } from './client.ts';

export const Tokens = record(
  {
    code: record(
      { ttl: duration('60s', 'How long an authorization code is valid, at most 5m.') },
      {},
      'Authorization codes.',
    ),
    access: record(
      {
        format: oneOf(tokenFormats, 'opaque', 'A client may override it.'),
        ttl: duration('1h', 'How long an opaque access token is valid.'),
        jwt_ttl: duration('15m', 'How long a JWT access token is valid.'),
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
        ttl: duration('7d', 'How long a refresh token is valid. Each use issues a new one.'),
        absolute_ttl: duration('30d', 'After this long the user logs in again, however often the token was used.'),
        reuse_leeway: duration(
          '10s',
          'A second use of a refresh token within this time is rejected. A later one revokes all tokens of its grant.',
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
    session_key: record(
      { ttl: duration('7d', 'How long a session key is valid.') },
      {},
      'Keys of the browserless exchange.',
    ),
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

import { seconds } from '../../../base/clock.ts';
import { sha256 } from '../../../base/secret.ts';
import { audienceClaim } from '../../../oauth/introspection.ts';
import { isOpaqueToken, tokenPrefixes } from '../opaque-token.ts';
import type { TokenKind } from '../token-kind.ts';

/** Only its own client can introspect a refresh token, because it is not a token for an API. */
export const refreshTokenKind: TokenKind = {
  recognises: (token) => isOpaqueToken(token, tokenPrefixes.refreshToken),
  async inspect({ config, clock, records }, token, caller) {
    const found = await records.findRefreshToken(sha256(token));
    if (found === undefined || found.grant.clientId !== caller.id) return undefined;
    const { grant, grantRevoked, usedAt, expiresAt } = found;
    if (grantRevoked || usedAt !== undefined || expiresAt <= seconds(clock)) return undefined;
    return {
      active: true,
      scope: found.scope,
      client_id: grant.clientId,
      ...(grant.username !== undefined && { username: grant.username }),
      exp: expiresAt,
      iat: found.issuedAt,
      sub: grant.subject,
      aud: audienceClaim(found.audience),
      iss: config.issuer,
      gid: grant.id,
    };
  },
  owner: async ({ records }, token) => (await records.findRefreshToken(sha256(token)))?.grant,
  revoke: ({ clock, records }, token, client) =>
    records.revokeRefreshToken({ hash: sha256(token), clientId: client.id, now: seconds(clock) }),
};

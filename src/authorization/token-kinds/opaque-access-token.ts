import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { audienceClaim } from '../audience.ts';
import { isOpaqueToken } from '../opaque-token.ts';
import type { TokenKind } from '../token-kind.ts';

export const opaqueAccessToken: TokenKind = {
  recognises: isOpaqueToken,
  async inspect({ config, clients, clock, records }, token) {
    const found = await records.findAccessToken(sha256(token), seconds(clock));
    if (found === undefined || !clients.has(found.clientId)) return undefined;
    return {
      active: true,
      scope: found.scope,
      client_id: found.clientId,
      token_type: 'Bearer',
      exp: found.expiresAt,
      iat: found.issuedAt,
      sub: found.subject,
      aud: audienceClaim(found.audience),
      iss: config.issuer,
    };
  },
  revoke: ({ clock, records }, token, client) =>
    records.revokeAccessToken({ hash: sha256(token), clientId: client.id, now: seconds(clock) }),
};

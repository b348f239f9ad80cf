import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { audienceClaim } from '../audience.ts';
import { isOpaqueToken, tokenPrefixes } from '../opaque-token.ts';
import { mayInspectAny, type TokenKind } from '../token-kind.ts';

export const opaqueAccessToken: TokenKind = {
  recognises: (token) => isOpaqueToken(token, tokenPrefixes.accessToken),
  async inspect({ config, clients, clock, records }, token, caller) {
    if (!mayInspectAny(caller)) return undefined;
    const found = await records.findAccessToken(sha256(token), seconds(clock));
    if (found === undefined || (await clients.find(found.clientId)) === undefined) return undefined;
    const { clientId, username, grantId, authTime } = found;
    return {
      ...found.claims,
      active: true,
      scope: found.scope,
      client_id: clientId,
      ...(config.compat.app_id_claim && { app_id: clientId }),
      ...(username !== undefined && { username }),
      token_type: 'Bearer',
      exp: found.expiresAt,
      iat: found.issuedAt,
      sub: found.subject,
      aud: audienceClaim(found.audience),
      iss: config.issuer,
      ...(grantId !== undefined && { gid: grantId }),
      ...(authTime !== undefined && { auth_time: authTime }),
    };
  },
  revoke: ({ clock, records }, token, client) =>
    records.revokeAccessToken({ hash: sha256(token), clientId: client.id, now: seconds(clock) }),
};

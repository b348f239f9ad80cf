import { seconds } from '../../../base/clock.ts';
import { looksLikeJwt } from '../../../jwt/parse.ts';
import type { JwtOrigin } from '../../../storage/records.ts';
import { type OwnClaims, readOwnJwt } from '../own-jwt.ts';
import { mayInspectAny, type TokenKind } from '../token-kind.ts';

export const jwtAccessToken: TokenKind = {
  recognises: looksLikeJwt,
  async inspect(service, token, caller) {
    if (!mayInspectAny(caller)) return undefined;
    const now = seconds(service.clock);
    const claims = await readOwnJwt(service, token);
    if (claims === undefined || claims.exp <= now) return undefined;
    if ((await service.clients.find(claims.client_id)) === undefined) return undefined;
    if (await service.records.isJwtDenied(claims.jti, now, originOf(claims))) return undefined;
    return { ...claims, active: true, token_type: 'Bearer' };
  },
  async owner(service, token) {
    const claims = await readOwnJwt(service, token);
    return claims && { clientId: claims.client_id, subject: claims.sub };
  },
  async revoke(service, token, client) {
    const claims = await readOwnJwt(service, token);
    if (claims === undefined) return 'unknown';
    if (claims.client_id !== client.id) return 'other_client';
    const now = seconds(service.clock);
    if (claims.exp > now) await service.records.denyJwt(claims.jti, claims.exp, now);
    return 'revoked';
  },
};

function originOf({ gid, client_id, iat }: OwnClaims): JwtOrigin {
  return { grantId: gid, clientId: client_id, issuedAt: iat };
}

import { seconds } from '../../base/clock.ts';
import { looksLikeJwt } from '../../jwt/parse.ts';
import { readOwnJwt } from '../own-jwt.ts';
import type { TokenKind } from '../token-kind.ts';

export const jwtAccessToken: TokenKind = {
  recognises: looksLikeJwt,
  async inspect(service, token) {
    const now = seconds(service.clock);
    const claims = await readOwnJwt(service, token);
    if (claims === undefined || claims.exp <= now || !service.clients.has(claims.client_id)) return undefined;
    if (await service.records.isJwtDenied(claims.jti, now)) return undefined;
    const { scope, client_id, exp, iat, sub, aud, iss, jti } = claims;
    return { active: true, scope, client_id, token_type: 'Bearer', exp, iat, sub, aud, iss, jti };
  },
  async revoke(service, token, client) {
    const claims = await readOwnJwt(service, token);
    if (claims === undefined) return 'unknown';
    if (claims.client_id !== client.id) return 'other_client';
    if (claims.exp > seconds(service.clock)) await service.records.denyJwt(claims.jti, claims.exp);
    return 'revoked';
  },
};

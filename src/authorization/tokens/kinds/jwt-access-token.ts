import { LONGEST_STEP, seconds } from '../../../base/clock.ts';
import { looksLikeJwt } from '../../../jwt/parse.ts';
import type { JwtOrigin } from '../../../storage/records/records.ts';
import { type OwnJwt, readOwnJwt } from '../own-jwt.ts';
import { mayInspectAny, type TokenKind } from '../token-kind.ts';

export const jwtAccessToken: TokenKind = {
  recognises: looksLikeJwt,
  async inspect(service, token, caller) {
    if (!mayInspectAny(caller)) return undefined;
    const now = seconds(service.clock);
    const jwt = await readOwnJwt(service, token);
    if (jwt === undefined || jwt.claims.exp <= now || jwt.claims.iat > now + LONGEST_STEP) return undefined;
    const { claims } = jwt;
    if ((await service.clients.glance(claims.client_id)) === undefined) return undefined;
    if (await service.records.isJwtDenied(claims.jti, now, originOf(jwt))) return undefined;
    const answer = { ...claims, active: true, token_type: 'Bearer' } as const;
    // RFC 9068 §5: a token that a client got for itself has the same `sub` and `client_id`. No user has such a subject.
    if (claims.sub === claims.client_id) return answer;
    const account = await service.accounts.bySubject(claims.sub);
    return account && { ...answer, username: account.username };
  },
  async owner(service, token) {
    const jwt = await readOwnJwt(service, token);
    return jwt && { clientId: jwt.claims.client_id, subject: jwt.claims.sub };
  },
  async revoke(service, token, client) {
    const jwt = await readOwnJwt(service, token);
    if (jwt === undefined) return 'unknown';
    const { claims } = jwt;
    if (claims.client_id !== client.id) return 'other_client';
    const now = seconds(service.clock);
    if (claims.exp > now) await service.records.denyJwt(claims.jti, claims.exp, now);
    return 'revoked';
  },
};

/** Includes the key. So a token of a leaked and rotated key ends at once, even if this process still has the key. */
function originOf({ claims: { gid, client_id, iat }, kid }: OwnJwt): JwtOrigin {
  return { grantId: gid, clientId: client_id, issuedAt: iat, kid };
}

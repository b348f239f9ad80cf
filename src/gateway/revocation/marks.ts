import { sha256 } from '../../base/secret.ts';
import { isTime } from '../../jwt/times.ts';
import type { Identity, TokenMarks } from '../message/identity.ts';

/** The values by which its server's feed can name a token. `kid` comes from the token's header. */
export function marksOf({ subject, clientId, claims }: Identity, token: string, kid: string | undefined): TokenMarks {
  const { jti, gid, sid, iat } = claims;
  return {
    kid,
    jti: typeof jti === 'string' ? jti : undefined,
    gid: typeof gid === 'string' ? gid : undefined,
    sid: typeof sid === 'string' ? sid : undefined,
    subject,
    client: clientId,
    issuedAt: isTime(iat) ? iat : undefined,
    hash: sha256(token).toString('base64url'),
  };
}

import { sha256 } from '../../base/secret.ts';
import { isTime } from '../../jwt/times.ts';
import type { Identity, TokenMarks } from '../message/identity.ts';

export interface MarkOptions {
  /** From the token's header. */
  readonly kid: string | undefined;
  /** The claim by which revocations name a user. */
  readonly subjectClaim: string;
}

/** The values by which its server's feed can name a token. */
export function marksOf(
  { subject, clientId, claims }: Identity,
  token: string,
  { kid, subjectClaim }: MarkOptions,
): TokenMarks {
  const { jti, gid, sid, iat } = claims;
  return {
    kid,
    jti: textOf(jti),
    gid: textOf(gid),
    sid: textOf(sid),
    subject: subjectClaim === 'sub' ? subject : textOf(claims[subjectClaim]),
    client: clientId,
    issuedAt: isTime(iat) ? iat : undefined,
    hash: sha256(token).toString('base64url'),
  };
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

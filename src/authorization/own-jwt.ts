import type { AlgorithmName } from '../jwt/algorithms.ts';
import { parseJwt } from '../jwt/parse.ts';
import { judgeHeader, mediaType, verifySignature } from '../jwt/verify.ts';
import type { Service } from './service.ts';

/** The claims that `issue.ts` writes into every JWT. */
export interface OwnClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
}

/** Undefined unless we signed the token, expired or not: nobody else holds the keys, so the claims are as we wrote them. */
export async function readOwnJwt({ config, keys }: Service, token: string): Promise<OwnClaims | undefined> {
  const parsed = parseJwt(token);
  if (parsed.kind === 'refused') return undefined;
  const rules = { algorithms: keys.algorithms, types: new Set([mediaType(config.compat.jwt_typ)]) };
  if (judgeHeader(parsed, rules) !== undefined) return undefined;
  const { alg, kid } = parsed.header;
  const signer = await verifySignature(parsed, keys.ring.candidates(alg as AlgorithmName, kid));
  const isOurs = signer !== undefined && parsed.claims.iss === config.issuer;
  return isOurs ? (parsed.claims as unknown as OwnClaims) : undefined;
}

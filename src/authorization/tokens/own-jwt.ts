import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { isAudience, isTime } from '../../jwt/claims.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { parseJwt } from '../../jwt/parse.ts';
import { judgeHeader, mediaType, verifySignature } from '../../jwt/verify.ts';
import type { Service } from '../service.ts';

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
  readonly gid?: string;
  readonly auth_time?: number;
  readonly [claim: string]: unknown;
}

/** Undefined unless the token is signed with a key of ours, expired or not, and its claims are such as we write. */
export async function readOwnJwt({ config, keys }: Service, token: string): Promise<OwnClaims | undefined> {
  const parsed = parseJwt(token);
  if (parsed.kind === 'refused') return undefined;
  const rules = { algorithms: keys.current.algorithms, types: new Set([mediaType(config.compat.jwt_typ)]) };
  if (judgeHeader(parsed, rules) !== undefined) return undefined;
  const { alg, kid } = parsed.header;
  const signer = await verifySignature(parsed, keys.current.ring.candidates(alg as AlgorithmName, kid));
  if (signer === undefined || parsed.claims.iss !== config.issuer) return undefined;
  return isOwnClaims(parsed.claims) ? parsed.claims : undefined;
}

type Shape = (value: unknown) => boolean;

const isString: Shape = (value) => typeof value === 'string';
const orAbsent =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value);

const shapes: Readonly<Record<string, Shape>> = {
  sub: isString,
  aud: (value) => value !== undefined && isAudience(value),
  client_id: isString,
  scope: isString,
  iat: isTime,
  exp: isTime,
  jti: isString,
  gid: orAbsent(isString),
  app_id: orAbsent(isString),
  username: orAbsent(isString),
  auth_time: orAbsent(isTime),
};

/** The key of HS256 is every verifier's, so a signature does not say that the claims are as `issue.ts` writes them. */
function isOwnClaims(claims: JsonObject): claims is JsonObject & OwnClaims {
  return Object.entries(shapes).every(([name, fits]) => fits(claims[name]));
}

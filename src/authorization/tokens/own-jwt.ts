import { mediaType } from '../../base/token-type.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { isAudience } from '../../jwt/claims.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import { type ParsedJwt, parseJwt } from '../../jwt/parse.ts';
import { isTime } from '../../jwt/times.ts';
import { judgeHeader, verifySignature } from '../../jwt/verify.ts';
import { isUserKid } from '../../oauth/user-key.ts';
import type { Service } from '../service/service.ts';

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

export interface OwnJwt {
  readonly claims: OwnClaims;
  /** The id of the key that signed it. Undefined for the secret of HS256. */
  readonly kid: string | undefined;
}

/** Undefined unless one of our keys signed the token and its claims have our form. The token may be expired. */
export async function readOwnJwt(service: Service, token: string): Promise<OwnJwt | undefined> {
  const { config, keys } = service;
  const parsed = parseJwt(token);
  if (parsed.kind === 'refused') return undefined;
  const rules = { algorithms: keys.current.algorithms, types: new Set([mediaType(config.compat.jwt_typ)]) };
  if (judgeHeader(parsed, rules) !== undefined) return undefined;
  const { claims } = parsed;
  if (claims.iss !== config.issuer || !isOwnClaims(claims)) return undefined;
  const signer = await verifySignature(parsed, await candidates(service, parsed), service.signatures);
  return signer && { claims, kid: signer.kid };
}

/** RFC 8725 §3.1: a key signs only with its own algorithm, and a user's key only for this user. */
async function candidates(service: Service, { header, claims }: ParsedJwt): Promise<readonly VerificationKey[]> {
  const { kid, alg } = header;
  if (isUserKid(kid)) {
    const found = await service.userKeys.find(kid);
    return found !== undefined && found.subject === claims.sub && found.key.alg === alg ? [found.key] : [];
  }
  if (!mayVouchFor(service, claims)) return [];
  // Another process may have replaced the keys a moment ago, and signed with the new one.
  if (kid !== undefined && !service.keys.current.kids.has(kid)) await service.keys.look();
  return service.keys.current.ring.candidates(alg as AlgorithmName, kid);
}

/** Every verifier knows the issuer's HS256 secret. So the secret must not sign for a user who has a separate key. */
function mayVouchFor({ config }: Service, { sub, client_id }: JsonObject): boolean {
  const { alg, user_keys } = config.signing;
  return alg !== 'HS256' || !user_keys || sub === client_id;
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

/** Every verifier knows the HS256 key. So a valid signature does not prove that `issue.ts` wrote the claims. */
function isOwnClaims(claims: JsonObject): claims is JsonObject & OwnClaims {
  return Object.entries(shapes).every(([name, fits]) => fits(claims[name]));
}

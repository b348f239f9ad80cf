import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { quoted } from '../../base/quoted.ts';
import { accessTokenHash } from '../../oauth/access-token-hash.ts';

/** All algorithms with a public key. With a secret key, the client itself could have made the ID token. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Seconds that the clocks may differ. */
const SKEW = 60;

export interface IdTokenIssuer {
  readonly issuer: string;
  /** A JWK Set, as the server publishes it. */
  readonly keys: unknown;
  /** Undefined: the metadata do not say. */
  readonly algorithms: readonly string[] | undefined;
}

export interface ExpectedIdToken {
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken: string;
}

export type JudgedIdToken =
  | { readonly kind: 'valid'; readonly claims: JWTPayload }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Verifies the signature and the claims (OpenID Connect Core §3.1.3.7, §3.1.3.8). */
export async function judgeIdToken(
  idToken: string,
  from: IdTokenIssuer,
  expected: ExpectedIdToken,
): Promise<JudgedIdToken> {
  try {
    const verified = await verifySigned(idToken, from, expected.clientId);
    const reason = claimFault(verified, expected);
    return reason === undefined ? { kind: 'valid', claims: verified.payload } : { kind: 'invalid', reason };
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return { kind: 'invalid', reason: error.message };
  }
}

function verifySigned(
  idToken: string,
  { issuer, keys, algorithms = ALGORITHMS }: IdTokenIssuer,
  audience: string,
): Promise<JWTVerifyResult> {
  return jwtVerify(idToken, createLocalJWKSet(keys as JSONWebKeySet), {
    issuer,
    audience,
    algorithms: ALGORITHMS.filter((name) => algorithms.includes(name)),
    requiredClaims: ['sub', 'iat', 'exp'],
    clockTolerance: SKEW,
  });
}

/** The claims that a JWT library does not know. Undefined: they match. */
function claimFault(
  { payload: { aud, azp, nonce, at_hash }, protectedHeader: { alg } }: JWTVerifyResult,
  { clientId, nonce: sent, accessToken }: ExpectedIdToken,
): string | undefined {
  if (nonce !== sent) return 'its nonce does not belong to this login';
  const needsParty = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? needsParty : azp !== clientId) return `it was issued to ${quoted(azp)}, not to this client`;
  const belongs = at_hash === undefined || at_hash === accessTokenHash(alg, accessToken);
  return belongs ? undefined : 'its at_hash belongs to another access token';
}

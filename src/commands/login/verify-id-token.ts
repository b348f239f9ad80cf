import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { quoted } from '../../base/quoted.ts';
import { FETCH_DEADLINE, type FetchJson } from '../../gateway/server-client/fetch-json.ts';
import { accessTokenHash } from '../../oauth/access-token-hash.ts';
import { LoginFailure } from './failure.ts';
import type { Provider } from './provider.ts';

/** All algorithms with a public key. With a secret key, the client itself could have made the ID token. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Seconds that the clocks may differ. */
const SKEW = 60;

export interface ExpectedIdToken {
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken: string;
}

/** Verifies the signature and the claims (OpenID Connect Core §3.1.3.7, §3.1.3.8), and returns the claims. */
export async function verifyIdToken(
  idToken: string,
  provider: Provider,
  expected: ExpectedIdToken,
  fetch: FetchJson,
): Promise<JWTPayload> {
  const verified = await verifySigned(idToken, provider, expected.clientId, await keysOf(provider, fetch));
  const fault = claimFault(verified, expected);
  if (fault !== undefined) throw invalid(fault);
  return verified.payload;
}

async function keysOf({ keysUrl, issuer }: Provider, fetch: FetchJson): Promise<JSONWebKeySet> {
  if (keysUrl === undefined) throw invalid(`the metadata of ${issuer} have no jwks_uri to verify it`);
  const fetched = await fetch({ url: keysUrl, signal: AbortSignal.timeout(FETCH_DEADLINE), judgeType: false });
  if (fetched.kind === 'failed') throw invalid(`${keysUrl}: ${fetched.detail}`);
  return fetched.value as unknown as JSONWebKeySet;
}

async function verifySigned(
  idToken: string,
  { issuer, idTokenAlgorithms = ALGORITHMS }: Provider,
  audience: string,
  keys: JSONWebKeySet,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(idToken, createLocalJWKSet(keys), {
      issuer,
      audience,
      algorithms: ALGORITHMS.filter((name) => idTokenAlgorithms.includes(name)),
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: SKEW,
    });
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw invalid(error.message);
  }
}

/** The claims that a JWT library does not know. Undefined: they match. */
function claimFault(
  { payload: { aud, azp, nonce, at_hash }, protectedHeader: { alg } }: JWTVerifyResult,
  { clientId, nonce: sent, accessToken }: ExpectedIdToken,
): string | undefined {
  if (nonce !== sent) return 'its nonce is not the one of this login';
  const needsParty = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? needsParty : azp !== clientId) return `it was issued to ${quoted(azp)}, not to this client`;
  const belongs = at_hash === undefined || at_hash === accessTokenHash(alg, accessToken);
  return belongs ? undefined : 'its at_hash is the one of another access token';
}

function invalid(reason: string): LoginFailure {
  return new LoginFailure(
    `the ID token is not valid: ${reason}; the command prints no token. Check the clock of this machine and --issuer, or ask the operator of the server`,
  );
}

import { createHash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { need } from '../judge.ts';
import { nowAt, type Party } from '../party.ts';
import { type Claims, checkStandardClaims } from './standard-claims.ts';

export interface IdTokenFacts {
  /** Undefined: the request had none. */
  readonly nonce: string | undefined;
  readonly accessToken: string | undefined;
}

/** Seconds that clocks may differ. */
const SKEW = 5;

/** OpenID Connect Core §2, §3.1.3.6, §3.1.3.7. */
export async function checkIdToken(party: Party, token: unknown, facts: IdTokenFacts): Promise<Claims> {
  const claims = await verified(party, token);
  checkParties(party, claims);
  checkTimes(party, claims);
  checkSubject(party, claims);
  party.judge.must(claims.nonce === facts.nonce, 'the ID token has the nonce of the request', claims.nonce);
  checkHash(party, claims, facts.accessToken);
  checkLogin(party, claims);
  checkStandardClaims(party.judge, claims, 'ID token');
  return claims;
}

/** The signature, by the published key with the `kid` of the header. Without registration, the algorithm is RS256. */
export async function verified({ judge, keys, keyOf }: Party, token: unknown): Promise<Claims> {
  need(judge, typeof token === 'string' && token.split('.').length === 3, 'there is a signed token', token);
  const { alg, kid } = decodeProtectedHeader(token);
  judge.must(alg === 'RS256', 'the token is signed with RS256', alg);
  judge.must(keys.filter((key) => key.kid === kid).length === 1, 'kid names one published key', kid);
  const read = await compactVerify(token, keyOf, { algorithms: ['RS256'] }).catch(() => undefined);
  need(judge, read !== undefined, 'the signature is right', token);
  return JSON.parse(new TextDecoder().decode(read.payload)) as Claims;
}

export function checkParties({ judge, metadata, client }: Party, { iss, aud, azp }: Claims): void {
  judge.must(iss === metadata.issuer, 'iss is the issuer of the metadata', iss);
  const audience = Array.isArray(aud) ? aud : [aud];
  judge.must(audience.includes(client.id), 'aud has the client', aud);
  judge.must(audience.length === 1 || azp !== undefined, 'with several audiences there is an azp', aud);
  judge.must(azp === undefined || azp === client.id, 'azp is the client', azp);
}

function checkTimes(party: Party, { iat, exp, nbf, auth_time: at }: Claims): void {
  const { judge } = party;
  const now = nowAt(party);
  judge.must(typeof iat === 'number' && Math.abs(now - iat) <= SKEW, 'iat is now', iat);
  judge.must(typeof exp === 'number' && exp > now, 'exp is in the future', exp);
  judge.must(nbf === undefined || (typeof nbf === 'number' && nbf <= now + SKEW), 'nbf is not in the future', nbf);
  judge.must(at === undefined || (typeof at === 'number' && at <= now + SKEW), 'auth_time is not in the future', at);
}

function checkSubject({ judge }: Party, { sub }: Claims): void {
  const isRight = typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub);
  judge.must(isRight, 'sub has 1 to 255 ASCII characters', sub);
}

/** The left half of SHA-256, because the algorithm is RS256. */
function checkHash({ judge }: Party, claims: Claims, accessToken: string | undefined): void {
  if (claims.at_hash === undefined || accessToken === undefined) return;
  const hash = createHash('sha256').update(accessToken, 'ascii').digest();
  const half = hash.subarray(0, hash.length / 2).toString('base64url');
  judge.must(claims.at_hash === half, 'at_hash belongs to the access token', claims.at_hash);
}

function checkLogin({ judge }: Party, { acr, amr, sid }: Claims): void {
  judge.must(acr === undefined || typeof acr === 'string', 'acr is a text', acr);
  const isList = Array.isArray(amr) && amr.every((method) => typeof method === 'string');
  judge.must(amr === undefined || isList, 'amr is a list of texts', amr);
  judge.must(sid === undefined || (typeof sid === 'string' && sid !== ''), 'sid is a text', sid);
}

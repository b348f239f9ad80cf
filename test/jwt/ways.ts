import { compactVerify, importJWK, type JWK } from 'jose';
import { type AlgorithmName, algorithmNames } from '../../src/jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../src/jwt/keys.ts';
import { type ParsedJws, parseJws } from '../../src/jwt/parse.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';
import { TurnBudget } from '../../src/jwt/turn-budget.ts';
import { verifySignature } from '../../src/jwt/verify.ts';
import { secret, signingKey } from '../support/keys.ts';

/** For an event loop that always has time: each piece of work is in its own turn. */
export const idle = new TurnBudget((begin) => begin());

/** On the event loop and on threads, with the key of the signature. Both must give the same result. */
export async function verifyBothWays(
  jws: ParsedJws,
  keys: readonly VerificationKey[],
): Promise<VerificationKey | undefined> {
  const forThreads = keys.map(({ onLoop: _, ...key }) => key);
  const onLoop = await verifySignature(jws, keys, idle);
  const onThread = await verifySignature(jws, forThreads, idle);
  if (onLoop?.id !== onThread?.id) throw new Error(`the event loop and a thread differ: ${jws.token}`);
  return onLoop;
}

export function parsed(token: string): ParsedJws {
  const jws = parseJws(token);
  if (jws.kind === 'refused') throw new Error(jws.detail);
  return jws;
}

export async function keysFor(alg: AlgorithmName): Promise<readonly VerificationKey[]> {
  const { jwk } = await signingKey(alg);
  if (jwk === undefined) return importSecret(new Uint8Array(Buffer.from(secret)), [alg]);
  return (await importKeys({ keys: [jwk] }, algorithmNames))?.keys ?? [];
}

/** jose's result for a token with a public key or a secret for one algorithm, like an imported key of ours. */
export async function joseAccepts(token: string, jwk: JWK, alg: AlgorithmName): Promise<boolean> {
  try {
    await compactVerify(token, await importJWK(jwk, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

export const secretJwk: JWK = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };

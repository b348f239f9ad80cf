import { inARow } from '../base/in-a-row.ts';
import { refused } from '../base/verdict.ts';
import { algorithms } from './algorithms.ts';
import type { RefusedJwt } from './faults.ts';
import { algorithmMismatch, type ExpectedHeader, typeMismatch } from './header-mismatches.ts';
import type { VerificationKey } from './keys.ts';
import type { ParsedJws } from './parse.ts';
import type { TurnBudget } from './turn-budget.ts';

/**
 * The key that made the signature. Undefined: none of these keys made it. A key never matches a header with another
 * `alg`. `budget`: of this event loop.
 */
export async function verifySignature(
  jws: ParsedJws,
  keys: readonly VerificationKey[],
  budget: TurnBudget,
): Promise<VerificationKey | undefined> {
  for (const candidate of keys) {
    if (candidate.alg === jws.header.alg && (await isSignedBy(jws, candidate, budget))) return candidate;
  }
  return undefined;
}

/**
 * RFC 7515 §5.2. Form, header, key and algorithm are already judged, so only the signature is left. A wrong signature
 * creates no error with a stack, and nothing is parsed again.
 */
function isSignedBy(
  { token, signature }: ParsedJws,
  { key, onLoop, alg }: VerificationKey,
  budget: TurnBudget,
): boolean | Promise<boolean> {
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1');
  if (onLoop?.cost === 0) return onLoop.verify(signed, signature);
  if (onLoop !== undefined && budget.take(onLoop.cost)) return inARow(() => onLoop.verify(signed, signature));
  return crypto.subtle.verify(algorithms[alg].verifying, key, signature, signed);
}

/** RFC 8725 §3.1 and §3.11: the token's own header, judged before any computation. */
export function judgeHeader({ header }: ParsedJws, { algorithms, types }: ExpectedHeader): RefusedJwt | undefined {
  const algorithm = algorithmMismatch(header.alg, algorithms);
  if (algorithm !== undefined) return refused('token_algorithm', undefined, algorithm);
  const type = typeMismatch(header.typ, types);
  return type && refused('token_type', undefined, type);
}

import { type Mismatch, mismatch } from '../../base/mismatch.ts';
import { quotedAny } from '../../base/quoted.ts';
import { claimAt } from '../message/claim-path.ts';

/** Claims, also as paths, and the allowed values of each. */
export type RequiredClaims = Readonly<Record<string, readonly string[]>>;

/**
 * For servers whose access tokens share `typ` and `aud` with their other JWTs (RFC 8725 §3.12). A mismatch does not
 * report the token's own value, because an operator may name a confidential claim here.
 */
export function requiredClaimMismatch(
  claims: Readonly<Record<string, unknown>>,
  required: RequiredClaims,
): Mismatch | undefined {
  for (const path of Object.keys(required)) {
    const [value, values] = [claimAt(claims, path), required[path] ?? []];
    if (typeof value === 'string' && values.includes(value)) continue;
    return mismatch(path, value === undefined ? 'none' : 'another value', quotedAny(values));
  }
  return undefined;
}

import { type Mismatch, mismatch } from '../../base/mismatch.ts';
import { quotedAny } from '../../base/quoted.ts';
import { claimAt } from '../message/claim-path.ts';

/** Claims, also paths, with the values of which they must have one. */
export type RequiredClaims = Readonly<Record<string, readonly string[]>>;

/**
 * For servers whose access tokens neither `typ` nor `aud` tells apart from their other JWTs (RFC 8725 §3.12). What a token
 * has in place of such a value is not reported: any claim can be named here, also one that is nobody's business.
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

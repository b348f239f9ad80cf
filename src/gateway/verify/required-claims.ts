import { claimAt } from '../message/claim-path.ts';

/** Claims, also paths, with the values of which they must have one. */
export type RequiredClaims = Readonly<Record<string, readonly string[]>>;

/** For servers whose access tokens neither `typ` nor `aud` tells apart from their other JWTs (RFC 8725 §3.12). */
export function carries(claims: Readonly<Record<string, unknown>>, required: RequiredClaims): boolean {
  return Object.entries(required).every(([path, values]) => {
    const value = claimAt(claims, path);
    return typeof value === 'string' && values.includes(value);
  });
}

import type { JsonObject } from './json.ts';

/** A NumericDate (RFC 7519 §2). `1e999` reads as Infinity, which would never expire. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Whether a token's lifetime is longer than accepted. Without `iat`, the lifetime counts from now. */
export function livesLonger({ exp, iat }: JsonObject, now: number, seconds: number): boolean {
  return isTime(exp) && exp - (isTime(iat) ? iat : now) > seconds;
}

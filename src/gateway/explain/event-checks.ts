import { eventMismatch } from '../../jwt/claim-mismatches.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { failsBy, type TokenCheck } from './token-check.ts';

/** Only a token with an object `events` gets this check, because no access token has one. */
export function eventChecks(claims: JsonObject): readonly TokenCheck[] {
  const mismatch = eventMismatch(claims);
  return mismatch === undefined ? [] : [failsBy(mismatch)];
}

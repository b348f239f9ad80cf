import { printableValue } from '../../base/printable.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import type { RevocationEvent } from '../revocation/events.ts';

/** The effect of one logout token or security event token. */
export interface Received {
  /** The `jti`. A token has an effect only once. */
  readonly id: string;
  /** Empty: the token ends nothing. */
  readonly events: readonly RevocationEvent[];
}

/** The error codes of RFC 8935 §2.4. For logout tokens, each of them is an `invalid_request`. */
export type ReceivingCode =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience'
  | 'authentication_failed';

/** Why the gateway does not accept a token. */
export interface ReceivingFault {
  readonly code: ReceivingCode;
  readonly description: string;
  /** The value in the token, for the log. Its sender gets only the description. */
  readonly found?: string;
}

export interface ReceivingRules {
  readonly issuer: string;
  readonly audiences: ReadonlySet<string>;
  /** NumericDate, seconds. */
  readonly now: number;
  /** Seconds by which clocks may differ. */
  readonly skew: number;
  /** Seconds for which a token of this server may be valid, from its `iat`. */
  readonly lifetime: number;
}

/** Characters. An identifier is short, and the deny-list stores it. */
export const LONGEST_ID = 512;

export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
}

export function notAccepted(description: string, code: ReceivingCode = 'invalid_request'): ReceivingFault {
  return { code, description };
}

/** Claims that mean the same in both kinds of tokens (RFC 8417 §2.2, OpenID Connect Back-Channel Logout §2.6). */
export function commonFault(claims: JsonObject, rules: ReceivingRules): ReceivingFault | undefined {
  const { iss, aud, iat, exp, jti } = claims;
  if (iss !== rules.issuer)
    return { ...notAccepted('iss is not the issuer in the file', 'invalid_issuer'), ...foundIn(iss) };
  if (!audienceOf(aud).some((each) => rules.audiences.has(each)))
    return { ...notAccepted('aud names no configured audience', 'invalid_audience'), ...foundIn(aud) };
  if (!isId(jti)) return notAccepted('there is no jti');
  if (!isTime(iat)) return notAccepted('iat is not a number');
  if (exp !== undefined && !isTime(exp)) return notAccepted('exp is not a number');
  if (iat > rules.now + rules.skew) return notAccepted('iat is in the future');
  if (exp !== undefined && exp + rules.skew <= rules.now) return notAccepted('the token has expired');
  return undefined;
}

/** Characters. */
const LONGEST_FOUND = 100;

function foundIn(claim: unknown): Pick<ReceivingFault, 'found'> {
  return { found: printableValue(String(JSON.stringify(claim)).slice(0, LONGEST_FOUND)) };
}

function audienceOf(aud: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return list.filter((each) => typeof each === 'string');
}

/**
 * Ends a session. Some access tokens do not name their session. They may belong to it, so those of the same user end
 * too, if they were issued before.
 */
export function endOfSession(session: string, user: string | undefined, times: EventTimes): readonly RevocationEvent[] {
  const named: RevocationEvent = { kind: 'sid', key: session, until: times.until };
  return user === undefined ? [named] : [named, { kind: 'sessionless_nbf', key: user, ...times }];
}

export function endOfUser(user: string, times: EventTimes): readonly RevocationEvent[] {
  return [{ kind: 'sub_nbf', key: user, ...times }];
}

export interface EventTimes {
  /** Tokens with an earlier `iat` end. */
  readonly nbf: number;
  readonly until: number;
}

/**
 * `at`: seconds. A token from the same second may be older than the event, so it ends too. A new login is rejected for
 * the rest of this second.
 */
export function timesOf(at: number, lifetime: number): EventTimes {
  const second = Math.floor(at);
  return { nbf: second + 1, until: second + 1 + lifetime };
}

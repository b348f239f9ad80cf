import { type Refused, refused } from '../../base/verdict.ts';
import { isAudience, isTime, livesLonger } from '../../jwt/claims.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { CredentialCode } from '../message/codes.ts';

/** An answer that does not keep to RFC 7662 §2.2 says nothing: neither yes nor no. */
export interface Babble {
  readonly kind: 'babble';
  readonly detail: string;
}

export interface Active {
  readonly kind: 'active';
}

export interface AnswerRules {
  readonly issuer: string;
  /** Seconds since the epoch, and seconds. */
  readonly now: number;
  readonly skew: number;
  readonly maxLifetime: number;
}

const ACTIVE: Active = { kind: 'active' };
/** Kept for each token that nobody has given out. */
const INACTIVE = refused<CredentialCode>('token_inactive');
const isText = (value: unknown) => typeof value === 'string';

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  active: (value) => typeof value === 'boolean',
  scope: isText,
  client_id: isText,
  username: isText,
  token_type: isText,
  sub: isText,
  iss: isText,
  jti: isText,
  exp: isTime,
  iat: isTime,
  nbf: isTime,
  aud: isAudience,
};

export function judgeAnswer(answer: JsonObject, rules: AnswerRules): Active | Refused<CredentialCode> | Babble {
  const { active, iss, exp, nbf, token_type } = answer;
  if (!Object.hasOwn(answer, 'active')) return { kind: 'babble', detail: 'no active member' };
  if (active === false) return INACTIVE;
  const odd = Object.keys(forms).find((name) => Object.hasOwn(answer, name) && !forms[name]?.(answer[name]));
  if (odd !== undefined) return { kind: 'babble', detail: `${odd} is of the wrong type` };
  if (iss !== undefined && iss !== rules.issuer) return refused('token_issuer');
  // RFC 9449 §6.2, RFC 8705 §3.2: bound to a key, and nobody showed that they hold it.
  if (Object.hasOwn(answer, 'cnf')) return refused('token_bound');
  if (isText(token_type) && String(token_type).toLowerCase() !== 'bearer') return refused('token_type');
  if (isTime(exp) && rules.now >= exp) return refused('token_expired');
  if (livesLonger(answer, rules.now, rules.maxLifetime + rules.skew)) return refused('token_lifetime');
  return isTime(nbf) && rules.now < nbf - rules.skew ? refused('token_not_yet_valid') : ACTIVE;
}

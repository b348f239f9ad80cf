import { mismatchOf } from '../../base/mismatch.ts';
import { type Refused, refused } from '../../base/verdict.ts';
import { issuerMismatch, lifetimeMismatch, timeMismatches } from '../../jwt/claim-mismatches.ts';
import { eventFault, isAudience } from '../../jwt/claims.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import type { CredentialCode } from '../message/codes.ts';

/** An answer that violates RFC 7662 §2.2. It means neither active nor inactive. */
export interface Babble {
  readonly kind: 'babble';
  readonly detail: string;
}

export interface Active {
  readonly kind: 'active';
}

export interface AnswerRules {
  readonly issuer: string;
  /** Seconds since the epoch. The next two members are seconds. */
  readonly now: number;
  readonly skew: number;
  readonly maxLifetime: number;
}

const ACTIVE: Active = { kind: 'active' };
/** One shared object, because each unknown token needs it. */
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
  const { active } = answer;
  if (!Object.hasOwn(answer, 'active')) return { kind: 'babble', detail: 'no active member' };
  if (active === false) return INACTIVE;
  const odd = Object.keys(forms).find((name) => Object.hasOwn(answer, name) && !forms[name]?.(answer[name]));
  if (odd !== undefined) return { kind: 'babble', detail: `${odd} is of the wrong type` };
  return judgeActive(answer, rules) ?? ACTIVE;
}

/** `exp` gets no leeway, because the answering server judges `active` by its own clock. */
function judgeActive(answer: JsonObject, rules: AnswerRules): Refused<CredentialCode> | undefined {
  const { iss, token_type: type } = answer;
  const foreign = iss === undefined ? undefined : issuerMismatch(iss, [rules.issuer]);
  if (foreign !== undefined) return refused('token_issuer', undefined, foreign);
  // RFC 9449 §6.2, RFC 8705 §3.2: the token is bound to a key, and the client did not prove possession.
  if (Object.hasOwn(answer, 'cnf')) return refused('token_bound');
  const event = eventFault(answer);
  if (event !== undefined) return event;
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    return refused('token_type', undefined, mismatchOf('token_type', type, ['Bearer']));
  const expired = timeMismatches.exp(answer, { now: rules.now, skew: 0 });
  if (expired !== undefined) return refused('token_expired', undefined, expired);
  const lasting = lifetimeMismatch(answer, rules);
  if (lasting !== undefined) return refused('token_lifetime', undefined, lasting);
  const early = timeMismatches.nbf(answer, rules);
  return early && refused('token_not_yet_valid', undefined, early);
}

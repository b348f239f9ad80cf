import type { Refused } from '../base/verdict.ts';

/** Why a JWT is refused. The gateway's table of codes has the same names. */
export type JwtFault =
  | 'token_malformed'
  | 'token_algorithm'
  | 'token_signature'
  | 'token_type'
  | 'token_issuer'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_lifetime'
  | 'token_bound';

export type RefusedJwt = Refused<JwtFault>;

import type { Outage, Refused } from '../base/verdict.ts';
import type { CredentialCode } from './codes.ts';

/** Who a credential speaks for: the facts, which are cached. What they allow is judged anew for every request. */
export interface Identity {
  readonly scheme: 'bearer';
  /** The issuer identifier of the authorization server that vouches for the facts. */
  readonly issuer: string;
  /** The configuration name of that authorization server. */
  readonly server: string;
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** `aud`, always as a list; undefined where the token or answer has none. */
  readonly audience: readonly string[] | undefined;
  /** NumericDate, seconds; undefined where the answer of introspection has none. */
  readonly expiresAt: number | undefined;
  /** NumericDate, seconds. */
  readonly notBefore: number | undefined;
  /** The claims of the token, or the members of the introspection answer. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export type CacheState = 'hit' | 'miss' | 'stale';

export interface Verified {
  readonly kind: 'verified';
  readonly identity: Identity;
  readonly cache: CacheState;
}

export type Verification = Verified | Refused<CredentialCode> | Outage;

/** Turns a well-formed bearer token into its identity. A cached token is answered without a promise. */
export type VerifyBearer = (token: string) => Verification | Promise<Verification>;

import type { Outage, Refused } from '../../base/verdict.ts';
import type { CredentialCode } from './codes.ts';

/** By what a revocation can name a token. */
export interface TokenMarks {
  readonly kid: string | undefined;
  readonly jti: string | undefined;
  readonly gid: string | undefined;
  readonly subject: string | undefined;
  readonly client: string | undefined;
  /** NumericDate, seconds. */
  readonly issuedAt: number | undefined;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
}

/** The verified facts about the caller. They are cached. What they allow is judged for every request. */
export interface Identity {
  /** `bearer`, or a name of the table of schemes. */
  readonly scheme: string;
  /** The issuer identifier of the authorization server that issued the facts. For a user file it is `SCHEME:REALM`. */
  readonly issuer: string;
  /** The configuration name of that authorization server; empty where there is none. */
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
  /** By what a revocation can name the token; undefined where its server tells of none. */
  readonly marks?: TokenMarks;
}

export type CacheState = 'hit' | 'miss' | 'stale';

export interface Verified {
  readonly kind: 'verified';
  readonly identity: Identity;
  readonly cache: CacheState;
  /** Name, value, …: what the answer says of the credentials, such as Authentication-Info. */
  readonly answerFields?: readonly string[];
}

/** Too many wrong passwords: this one was not checked. */
export interface Throttled {
  readonly kind: 'throttled';
  /** Seconds. */
  readonly retryAfter: number;
}

export type Verification = Verified | Refused<CredentialCode> | Outage;

/** Why what is open by leave of a token ends before its own end. */
export type StreamEnd = 'token_revoked' | 'token_expired';

/** Something is open by leave of a token; `end` is called once that has ended. Gives the way out. */
export type WatchToken = (identity: Identity, end: (why: StreamEnd) => void) => () => void;

/** Set by schemes other than bearer. */
export type SchemeVerification = Verification | Throttled;

/** Turns a well-formed bearer token into its identity. A cached token is answered without a promise. */
export type VerifyBearer = (token: string) => Verification | Promise<Verification>;

import type { Outage, Refused } from '../../base/verdict.ts';
import type { CredentialCode } from './codes.ts';

/** The values by which a revocation can name a token. */
export interface TokenMarks {
  readonly kid: string | undefined;
  readonly jti: string | undefined;
  readonly gid: string | undefined;
  /** The session at the authorization server. */
  readonly sid: string | undefined;
  readonly subject: string | undefined;
  readonly client: string | undefined;
  /** NumericDate, seconds. */
  readonly issuedAt: number | undefined;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
}

/** The verified facts about the caller. The gateway caches them, and judges for every request what they allow. */
export interface Identity {
  /** `bearer`, or a name from the table of schemes. */
  readonly scheme: string;
  /** The issuer identifier of the authorization server that issued the facts. For a user file it is `SCHEME:REALM`. */
  readonly issuer: string;
  /** The configuration name of that authorization server. Empty: there is none. */
  readonly server: string;
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** `aud`, always as a list. Undefined: the token or answer has none. */
  readonly audience: readonly string[] | undefined;
  /** NumericDate, seconds. Undefined: the introspection answer has none. */
  readonly expiresAt: number | undefined;
  /** NumericDate, seconds. */
  readonly notBefore: number | undefined;
  /** The claims of the token, or the members of the introspection answer. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** How a revocation can name the token. Undefined: its server reports no revocations. */
  readonly marks?: TokenMarks;
}

export type CacheState = 'hit' | 'miss' | 'stale';

export interface Verified {
  readonly kind: 'verified';
  readonly identity: Identity;
  readonly cache: CacheState;
  /** Name, value, … The answer's fields about the credentials, such as Authentication-Info. */
  readonly answerFields?: readonly string[];
}

/** Too many wrong passwords, so the gateway did not check this one. */
export interface Throttled {
  readonly kind: 'throttled';
  /** Seconds. */
  readonly retryAfter: number;
}

export type Verification = Verified | Refused<CredentialCode> | Outage;

/** Why an open stream ends before its own end. */
export type StreamEnd = 'token_revoked' | 'token_expired';

/**
 * Watches the token of an open stream. `end` is called once the token has ended. Returns a function that stops the
 * watch.
 */
export type WatchToken = (identity: Identity, end: (why: StreamEnd) => void) => () => void;

/** The result for schemes other than bearer. */
export type SchemeVerification = Verification | Throttled;

/** Turns a well-formed bearer token into its identity. For a cached token, the answer comes without a promise. */
export type VerifyBearer = (token: string) => Verification | Promise<Verification>;

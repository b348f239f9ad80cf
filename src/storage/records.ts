/**
 * What the authorization service keeps. Every verb is atomic and named for its intent; its promise settles when the
 * outcome is durable, and is rejected with `StorageUnavailable` when there is none. Times are NumericDates, seconds.
 */
export interface Records {
  saveAccessToken(token: AccessTokenRecord): Promise<void>;
  /** Only what is neither expired nor revoked at `now`. */
  findAccessToken(hash: Uint8Array, now: number): Promise<AccessTokenRecord | undefined>;
  revokeAccessToken(revocation: { hash: Uint8Array; clientId: string; now: number }): Promise<Revocation>;
  /** Until the JWT expires by itself. */
  denyJwt(jti: string, until: number): Promise<void>;
  isJwtDenied(jti: string, now: number): Promise<boolean>;
  /** Makes the candidate the current key of its algorithm, unless there is one; answers with the current one. */
  adoptSigningKey(candidate: NewSigningKey): Promise<SigningKeyRecord>;
  listSigningKeys(): Promise<readonly SigningKeyRecord[]>;
  /** Removes up to `limit` rows of each kind that ended before `now`; answers how many. */
  sweep(now: number, limit: number): Promise<number>;
  /** Shows by a write that the store works: a full or read-only disk still answers reads. */
  ping(now: number): Promise<void>;
  /** After what was asked before is settled. */
  close(): Promise<void>;
}

export interface AccessTokenRecord {
  /** SHA-256 of the token: the token itself is not kept. */
  readonly hash: Uint8Array;
  readonly clientId: string;
  readonly subject: string;
  readonly scope: string;
  readonly audience: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export type Revocation = 'revoked' | 'unknown' | 'other_client';

export interface NewSigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** PKCS #8, DER; sealed before it is written. */
  readonly privateKey: Uint8Array;
  readonly createdAt: number;
}

export interface SigningKeyRecord extends NewSigningKey {
  /** next: published, does not sign yet; retired: published until the last token that it signed expires. */
  readonly status: 'next' | 'current' | 'retired';
}

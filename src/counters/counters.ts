import { sha256 } from '../base/secret.ts';

/** This many requests in any window; the window is in milliseconds. */
export interface Limit {
  readonly requests: number;
  readonly window: number;
}

/** Failures since the first one of a window. */
export interface Failures {
  readonly count: number;
  /** Milliseconds until the failures expire; 0: there are none. */
  readonly endsIn: number;
}

/** A result that shared counters return later, and local counters at once. */
export type MaybeShared<Value> = Value | Promise<Value>;

/** One use of a Digest nonce with a right password (RFC 7616 §3.4.5). */
export interface NonceUse {
  /** The id of this nonce only. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Milliseconds until the nonce expires by age. After that, it need not be remembered. */
  readonly lifetime: number;
  /** The count of this use; `last`: the nonce must not be used again. */
  readonly count: number | 'last';
  /**
   * strict: each count must be greater than all earlier ones. window: counts may come in any order, each once, and none far
   * behind.
   */
  readonly mode: 'strict' | 'window';
}

/** The largest distance of a count from the highest count of a nonce. */
export const NONCE_WINDOW = 64;

/** The count for `last`. It is so far above every count of eight hexadecimal digits that no later count is accepted. */
export const LAST_COUNT = 0xffff_ffff + NONCE_WINDOW;

/** `forgotten`: the nonce may have been used before counting began. */
export type NonceUsage = 'fresh' | 'repeated' | 'forgotten';

/**
 * Counts how often something happens. Each method is one atomic step and never fails: during an outage it counts locally,
 * except for nonces.
 */
export interface Counters {
  /** Takes one request of the limit. Returns 0, or the milliseconds to wait; then nothing is counted. */
  take(key: string, limit: Limit): MaybeShared<number>;
  failures(key: string): MaybeShared<Failures>;
  /** Counts one more failure; `window`: milliseconds from the first failure. */
  fail(key: string, window: number): MaybeShared<Failures>;
  /**
   * Present if counts are shared. The result is undefined if the shared counters are unreachable, because then no one knows.
   */
  readonly useNonce?: (use: NonceUse) => Promise<NonceUsage | undefined>;
  /** Why Redis cannot keep nonces, in words for the operator, with the remedy. Undefined: no reason is known. */
  readonly nonceFault?: () => string | undefined;
  /** Settles when it is known whether the shared counters are reachable, within their deadline. Never rejects. */
  start(): Promise<void>;
  /** False: the counters should be shared with other processes, but are unreachable now. */
  reachable(): boolean;
  close(): Promise<void>;
}

/** The remark of a ready process while its counters are not shared. */
export const COUNTED_ALONE = 'the shared counters are unreachable: this process counts alone';

/**
 * The number of parts of a window. Accepted requests are counted by part, and a part counts until its last moment has left the
 * window. So no window accepts more than the limit, a place becomes free at most one part late, and no caller waits longer than
 * the window.
 */
export const PARTS = 20;

/** The same text for the same key. It is short, and does not reveal the key. */
export function digest(key: string): string {
  return sha256(key).toString('base64url');
}

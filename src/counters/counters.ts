import { sha256 } from '../base/secret.ts';

/** So many in any window; the window in milliseconds. */
export interface Limit {
  readonly requests: number;
  readonly window: number;
}

/** Failures since the first one of a window. */
export interface Failures {
  readonly count: number;
  /** Milliseconds until they are forgotten; 0: there are none. */
  readonly endsIn: number;
}

/** A result that shared counters return later, and local ones at once. */
export type MaybeShared<Value> = Value | Promise<Value>;

/** One use of a Digest nonce with a right password (RFC 7616 §3.4.5). */
export interface NonceUse {
  /** The id of this nonce alone. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Milliseconds until it ends by its age, and need not be remembered any more. */
  readonly lifetime: number;
  /** Its count; `last`: it serves no more. */
  readonly count: number | 'last';
  /** strict: a count is greater than every one before. window: any order, each once, none that is far behind. */
  readonly mode: 'strict' | 'window';
}

/** How far behind the highest count of a nonce another one may come. */
export const NONCE_WINDOW = 64;

/** What `last` counts as: further ahead of every count of eight hexadecimal digits than any may come behind. */
export const LAST_COUNT = 0xffff_ffff + NONCE_WINDOW;

/** Forgotten: it may have been used before anybody counted. */
export type NonceUsage = 'fresh' | 'repeated' | 'forgotten';

/**
 * How often something happened. Each verb is one atomic step and never fails: during an outage it counts locally, except for
 * nonces.
 */
export interface Counters {
  /** Takes one of the limit's requests: 0, or the milliseconds to wait, and then nothing is counted. */
  take(key: string, limit: Limit): MaybeShared<number>;
  failures(key: string): MaybeShared<Failures>;
  /** One more failure; `window`: milliseconds from the first one. */
  fail(key: string, window: number): MaybeShared<Failures>;
  /** Where counts are shared. Undefined in the end: they are out of reach, and then nobody can know. */
  readonly useNonce?: (use: NonceUse) => Promise<NonceUsage | undefined>;
  /** Why nonces cannot be kept there, in words for the operator, with the remedy. Undefined: they can, or it is unknown. */
  readonly nonceFault?: () => string | undefined;
  /** Settles once it is known whether the shared counters can be reached, within their deadline; never rejects. */
  start(): Promise<void>;
  /** False: they should be shared with other processes, and at the moment are not. */
  reachable(): boolean;
  close(): Promise<void>;
}

/** What a ready process has to say while its counters are not shared. */
export const COUNTED_ALONE = 'the shared counters are unreachable: this process counts alone';

/**
 * The number of parts of a window in which accepted requests are counted. A part counts until its last moment has left the
 * window. So no window accepts more than the limit, a place is free at most one part late, and no caller waits longer than
 * the window.
 */
export const PARTS = 20;

/** The same for the same key, short, and telling nothing of it. */
export function digest(key: string): string {
  return sha256(key).toString('base64url');
}

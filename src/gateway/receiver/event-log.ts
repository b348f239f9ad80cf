import { type Clock, LONGEST_STEP, seconds } from '../../base/clock.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import type { Received } from './received.ts';

/** One accepted token of an authorization server. */
export interface LogEntry extends Received {
  readonly issuer: string;
  /** NumericDate, seconds. Until then, the id counts as used. */
  readonly until: number;
}

/** `again`: this id was already added. `out`: the place of the log does not accept it now. */
export type Appended =
  | { readonly kind: 'added' }
  | { readonly kind: 'again' }
  | { readonly kind: 'out'; readonly detail: string };

/** What authorization servers told this gateway. Every replica and each restart reads it again. */
export interface EventLog {
  /** Settles once the entry is safe, and every replica can read it. Never rejects. */
  append(entry: LogEntry): Promise<Appended>;
  /** Whether this process has read the entry. An entry of another replica may still be on its way. */
  has(entry: Pick<LogEntry, 'issuer' | 'id'>): boolean;
  /** The events of one issuer, as a feed. */
  feed(issuer: string): OpenFeed;
  /** Settles after the first attempt to read what is there. Rejects if the file cannot be used. */
  start(): Promise<void>;
  /** The number of live entries. */
  size(): number;
  close(): Promise<void>;
}

/** Entries in one log, of all servers. An entry usually takes about 400 bytes. */
export const MOST_ENTRIES = 500_000;

/** Why an entry is not accepted. */
export const FULL = 'the list of received events is full';

/** Bytes of an entry as JSON. */
export const LARGEST_ENTRY = 8 * 1024;

/**
 * Whether a process must keep an entry that it reads. The clock of this process may be ahead and be set back later, and
 * then the entry counts again.
 */
export function mayCount({ until }: Pick<LogEntry, 'until'>, clock: Clock): boolean {
  return until > seconds(clock) - LONGEST_STEP;
}

/** The name of an entry. An id is unique only for its issuer (RFC 7519 §4.1.7). */
export function entryKey({ issuer, id }: Pick<LogEntry, 'issuer' | 'id'>): string {
  return `${issuer}\n${id}`;
}

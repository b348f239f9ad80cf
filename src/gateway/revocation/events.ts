import type { JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';

/** What an authorization server can revoke, and what the `key` of such an event names. */
export const eventKinds = ['kid', 'jti', 'gid', 'sub_nbf', 'client_nbf', 'token_hash'] as const;
export type FeedEventKind = (typeof eventKinds)[number];

export interface RevocationEvent {
  readonly kind: FeedEventKind;
  readonly key: string;
  /** NumericDate, seconds: when the last token concerned ends by itself. */
  readonly until: number;
  /** Of `sub_nbf` and `client_nbf`: tokens with an `iat` before it are meant. */
  readonly nbf?: number;
}

/**
 * What a feed says, in the order in which it says it. Plain values: whoever follows the feed can pass them on to other
 * processes as they are.
 */
export type FeedMessage =
  | { readonly kind: 'event'; readonly event: RevocationEvent }
  /** Something was missed that nobody can tell any more: what was remembered must be asked for anew. */
  | { readonly kind: 'reset' }
  /** Everything that was revoked until now was told. */
  | { readonly kind: 'in_step' }
  /** The connection is gone, and another one is tried. */
  | { readonly kind: 'lost' }
  /** The server turned out to have no feed, or none for this gateway. */
  | { readonly kind: 'absent' };

export type FeedSink = (message: FeedMessage) => void;

/** Characters; identifiers are short, and what is long is none. */
const LONGEST_KEY = 512;

/** Undefined: not an event that this gateway understands, so nobody can say what it ends. */
export function readEvent(kind: string, data: JsonObject): RevocationEvent | undefined {
  const known = eventKinds.find((each) => each === kind);
  const { key, until, nbf } = data;
  if (known === undefined || typeof key !== 'string' || key === '' || key.length > LONGEST_KEY) return undefined;
  if (!isTime(until)) return undefined;
  if (!isCutOff(known)) return { kind: known, key, until };
  return isTime(nbf) ? { kind: known, key, until, nbf } : undefined;
}

/** Whether it ends what was issued before a moment, and not what comes after. */
export function isCutOff(kind: FeedEventKind): kind is 'sub_nbf' | 'client_nbf' {
  return kind === 'sub_nbf' || kind === 'client_nbf';
}

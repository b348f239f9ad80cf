import type { JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';

/** The kinds of revocations. Each name says what the event's `key` contains. */
export const eventKinds = [
  'kid',
  'jti',
  'gid',
  'sid',
  'sub_nbf',
  'sessionless_nbf',
  'client_nbf',
  'token_hash',
] as const;
export type FeedEventKind = (typeof eventKinds)[number];

/** Kinds that end only tokens that were issued before a certain time. `sessionless_nbf`: a user's tokens without `sid`. */
export const cutOffKinds = ['sub_nbf', 'sessionless_nbf', 'client_nbf'] as const;
export type CutOffKind = (typeof cutOffKinds)[number];

export interface RevocationEvent {
  readonly kind: FeedEventKind;
  readonly key: string;
  /** NumericDate, seconds: when the last affected token expires. */
  readonly until: number;
  /** For kinds with a cut-off: ends tokens with an earlier `iat`. */
  readonly nbf?: number;
}

/** A feed's messages, in the feed's order. They are plain values, so a follower can pass them to other processes. */
export type FeedMessage =
  | { readonly kind: 'event'; readonly event: RevocationEvent }
  /** Events were lost permanently, so cached answers must be fetched again. */
  | { readonly kind: 'reset' }
  /** All revocations until now were sent. */
  | { readonly kind: 'in_step' }
  /** The connection was lost, and the follower tries a new connection. */
  | { readonly kind: 'lost' }
  /** The server answered that it has no feed. */
  | { readonly kind: 'absent' };

export type FeedSink = (message: FeedMessage) => void;

/** Characters. Identifiers are short, and a longer text is not one. */
const LONGEST_KEY = 512;

/** Undefined: this gateway does not understand the event, so it cannot know which tokens the event ends. */
export function readEvent(kind: string, data: JsonObject): RevocationEvent | undefined {
  const known = eventKinds.find((each) => each === kind);
  const { key, until, nbf } = data;
  if (known === undefined || typeof key !== 'string' || key === '' || key.length > LONGEST_KEY) return undefined;
  if (!isTime(until)) return undefined;
  if (!isCutOff(known)) return { kind: known, key, until };
  return isTime(nbf) ? { kind: known, key, until, nbf } : undefined;
}

/** Whether the event ends only tokens that were issued before a certain time. */
export function isCutOff(kind: FeedEventKind): kind is CutOffKind {
  return cutOffKinds.some((each) => each === kind);
}

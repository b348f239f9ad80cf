import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { ownText } from '../../base/own-text.ts';
import { type Outage, type Refused, refused } from '../../base/verdict.ts';
import { timeMismatches } from '../../jwt/claim-mismatches.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import { isUserKid } from '../../oauth/user-key.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { TokenMarks, Verified } from '../message/identity.ts';
import type { FeedEventKind } from '../revocation/events.ts';
import type { Revocations } from '../revocation/revocations.ts';
import type { Facts } from './facts.ts';

export interface Remembered {
  readonly jwt: boolean;
  readonly answer: Verified | Refused<CredentialCode> | Outage;
}

/**
 * The facts about tokens of one authorization server, by the whole token. Each look-up checks time and keys. Scope and
 * audience are not part of it, since routes differ in them.
 */
export interface FactsCache {
  /** Synchronous. A valid token allocates nothing. Describing a rejected one takes 2 to 6 µs. */
  get(token: string): Remembered | undefined;
  /** Facts that may still serve while the server does not answer. */
  stale(token: string): Verified | undefined;
  /** Whether the server or a key confirmed the token at the last check, however long ago. */
  knows(token: string): boolean;
  put(token: string, facts: Facts): Verified | Refused<CredentialCode>;
  forget(token: string): void;
  clear(): void;
  size(): number;
}

interface Entry extends Remembered {
  readonly answer: Verified;
  readonly key: VerificationKey | undefined;
  readonly marks: TokenMarks | undefined;
  /** The revocations' generation at the last check, and its result. */
  checkedAt: number;
  revoked: FeedEventKind | undefined;
  /** Wall clock, milliseconds. */
  readonly notBefore: number;
  readonly expiresAt: number;
  /** Monotonic milliseconds. */
  readonly freshUntil: number;
  readonly staleUntil: number;
  /** Until then the facts serve even while the feed is silent, because the server itself was asked recently. */
  readonly assuredUntil: number;
  readonly asked: boolean;
}

export interface FactsCacheOptions {
  readonly size: number;
  /** Milliseconds. */
  readonly skew: number;
  readonly clock: Clock;
  /** Whether the key that verified a token is still trusted. */
  readonly holds: (key: VerificationKey) => boolean;
  readonly revocations: Pick<Revocations, 'generation' | 'denies' | 'doubt'>;
  /** Milliseconds for which the server's answer counts as fresh while its feed is silent. */
  readonly maxStaleness: number;
  /** The answer for a token that a silent feed could have revoked. */
  readonly doubtful: Outage;
}

/** Characters. Token lengths differ by a factor of a hundred, so the memory limit assumes this mean. */
const MEAN_LENGTH = 4096;

/** What ended a token, for logs and `why`. */
const ENDINGS: Readonly<Record<FeedEventKind, string>> = {
  kid: "its user's key ended",
  jti: 'this token was revoked',
  token_hash: 'this token was revoked',
  gid: 'its grant ended',
  sid: 'its session ended',
  sub_nbf: "its user's tokens ended",
  sessionless_nbf: 'a session of its user ended, and this token names no session',
  client_nbf: "its client's tokens ended",
};

/** The event `kid` names the key of one user, or a key that signed tokens of all users. */
const KEY_REMOVED = 'its signing key was removed';

function revokedBy(kind: FeedEventKind, marks: TokenMarks | undefined): Refused<CredentialCode> {
  const isPublished = kind === 'kid' && !isUserKid(marks?.kid);
  return refused('token_revoked', isPublished ? KEY_REMOVED : ENDINGS[kind]);
}

/** Uses the rules that set the entry's limits. */
function expired({ answer, expiresAt }: Entry, now: number): Refused<CredentialCode> {
  const { expiresAt: exp = 0 } = answer.identity;
  const rules = { now: now / 1000, skew: (expiresAt - exp * 1000) / 1000 };
  return refused('token_expired', undefined, timeMismatches.exp({ exp }, rules));
}

function early({ answer, notBefore }: Entry, now: number): Refused<CredentialCode> {
  const { notBefore: nbf = 0 } = answer.identity;
  const rules = { now: now / 1000, skew: (nbf * 1000 - notBefore) / 1000 };
  return refused('token_not_yet_valid', undefined, timeMismatches.nbf({ nbf }, rules));
}

export function factsCache(options: FactsCacheOptions): FactsCache {
  return new TokenCache(options);
}

function placesFor(size: number): LRUCache<string, Entry> {
  const sizeCalculation = (_entry: Entry, token: string) => token.length + 1;
  return new LRUCache({ max: size, maxSize: size * MEAN_LENGTH, sizeCalculation });
}

class TokenCache implements FactsCache {
  readonly #size: number;
  /**
   * Made with the first entry, because it allocates all its places: 2 MiB and milliseconds for 50,000 tokens. It is no
   * `BoundedCache`, because test/trips.test.ts bounds how many files a request passes through.
   */
  #entries: LRUCache<string, Entry> | undefined;
  readonly #clock: Clock;
  readonly #holds: (key: VerificationKey) => boolean;
  readonly #revocations: FactsCacheOptions['revocations'];
  /** Milliseconds, like `#maxStaleness`. */
  readonly #skew: number;
  readonly #maxStaleness: number;
  readonly #doubtful: Remembered;

  constructor({ size, skew, clock, holds, revocations, maxStaleness, doubtful }: FactsCacheOptions) {
    this.#size = size;
    this.#clock = clock;
    this.#holds = holds;
    this.#revocations = revocations;
    this.#skew = skew;
    this.#maxStaleness = maxStaleness;
    this.#doubtful = { jwt: true, answer: doubtful };
  }

  get(token: string): Remembered | undefined {
    const entry = this.#find(token);
    if (entry === undefined) return undefined;
    const { jwt } = entry;
    const ended = this.#endOf(entry);
    if (ended !== undefined) return { jwt, answer: revokedBy(ended, entry.marks) };
    const now = this.#clock.now();
    if (now >= entry.expiresAt) return { jwt, answer: expired(entry, now) };
    if (now < entry.notBefore) return { jwt, answer: early(entry, now) };
    const isFresh = entry.freshUntil === Number.POSITIVE_INFINITY || this.#clock.monotonic() < entry.freshUntil;
    return isFresh ? this.#believed(entry) : undefined;
  }

  stale(token: string): Verified | undefined {
    const entry = this.#find(token);
    if (entry === undefined || this.#clock.monotonic() >= entry.staleUntil) return undefined;
    if (this.#clock.now() >= entry.expiresAt || this.#endOf(entry) !== undefined) return undefined;
    if (!entry.asked && this.#revocations.doubt() !== undefined) return undefined;
    return { ...entry.answer, cache: 'stale' };
  }

  knows(token: string): boolean {
    return this.#entries?.has(token) ?? false;
  }

  put(token: string, facts: Facts): Verified | Refused<CredentialCode> {
    const entry = this.#entryOf(facts);
    this.#entries ??= placesFor(this.#size);
    this.#entries.set(ownText(token), entry);
    const ended = this.#endOf(entry);
    if (ended !== undefined) return revokedBy(ended, entry.marks);
    return { kind: 'verified', identity: facts.identity, cache: 'miss' };
  }

  forget(token: string): void {
    this.#entries?.delete(token);
  }

  clear(): void {
    this.#entries?.clear();
  }

  size(): number {
    return this.#entries?.size ?? 0;
  }

  #entryOf({ identity, jwt, key, leeway, asked, freshFor, staleFor }: Facts): Entry {
    const now = this.#clock.monotonic();
    return {
      jwt,
      key,
      asked,
      marks: identity.marks,
      checkedAt: Number.NaN,
      revoked: undefined,
      assuredUntil: asked ? now + Math.min(freshFor, this.#maxStaleness) : Number.NEGATIVE_INFINITY,
      answer: { kind: 'verified', identity, cache: 'hit' },
      notBefore: (identity.notBefore ?? Number.NEGATIVE_INFINITY) * 1000 - this.#skew,
      expiresAt: (identity.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 + leeway,
      freshUntil: now + freshFor,
      staleUntil: now + freshFor + staleFor,
    };
  }

  /** A token whose key is no longer trusted must be verified again. */
  #find(token: string): Entry | undefined {
    const entry = this.#entries?.get(token);
    if (entry === undefined || entry.key === undefined || this.#holds(entry.key)) return entry;
    this.#entries?.delete(token);
    return undefined;
  }

  /** Checks again only after a new revocation. */
  #endOf(entry: Entry): FeedEventKind | undefined {
    const { generation } = this.#revocations;
    if (entry.checkedAt !== generation) {
      entry.checkedAt = generation;
      entry.revoked = entry.marks && this.#revocations.denies(entry.marks);
    }
    return entry.revoked;
  }

  /** While the feed is silent, only recent facts from the server itself count. */
  #believed(entry: Entry): Remembered | undefined {
    const doubt = this.#revocations.doubt();
    if (doubt === undefined || this.#clock.monotonic() < entry.assuredUntil) return entry;
    return doubt === 'deny' && !entry.asked ? this.#doubtful : undefined;
  }
}

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { type Refused, refused } from '../../base/verdict.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import type { CredentialCode } from '../codes.ts';
import type { Verified } from '../identity.ts';
import type { Facts } from './facts.ts';

export interface Remembered {
  readonly jwt: boolean;
  readonly answer: Verified | Refused<CredentialCode>;
}

/**
 * The facts about tokens of one authorization server, by the whole token. Time and keys are judged on every look-up;
 * scope and audience are not here at all, since routes differ in them.
 */
export interface FactsCache {
  /** Without a promise, and without making anything. */
  get(token: string): Remembered | undefined;
  /** What may still be said while the server does not answer. */
  stale(token: string): Verified | undefined;
  put(token: string, facts: Facts): Verified;
  forget(token: string): void;
  clear(): void;
  size(): number;
}

interface Entry extends Remembered {
  readonly answer: Verified;
  readonly key: VerificationKey | undefined;
  /** Wall clock, milliseconds. */
  readonly notBefore: number;
  readonly expiresAt: number;
  /** Monotonic milliseconds. */
  readonly freshUntil: number;
  readonly staleUntil: number;
}

export interface FactsCacheOptions {
  readonly size: number;
  /** Milliseconds. */
  readonly skew: number;
  readonly clock: Clock;
  /** Whether the key that verified a token still counts. */
  readonly holds: (key: VerificationKey) => boolean;
}

/** Tokens differ in length by a factor of a hundred: memory is bounded for a mean of this many characters. */
const MEAN_LENGTH = 4096;

const EXPIRED = refused<CredentialCode>('token_expired');
const EARLY = refused<CredentialCode>('token_not_yet_valid');
const answers = {
  jwt: { expired: { jwt: true, answer: EXPIRED }, early: { jwt: true, answer: EARLY } },
  opaque: { expired: { jwt: false, answer: EXPIRED }, early: { jwt: false, answer: EARLY } },
} as const;

export function factsCache({ size, skew, clock, holds }: FactsCacheOptions): FactsCache {
  const entries = new LRUCache<string, Entry>({
    max: size,
    maxSize: size * MEAN_LENGTH,
    sizeCalculation: (_entry, token) => token.length + 1,
  });

  /** A token whose key is gone must be looked at anew. */
  const find = (token: string): Entry | undefined => {
    const entry = entries.get(token);
    if (entry === undefined || entry.key === undefined || holds(entry.key)) return entry;
    entries.delete(token);
    return undefined;
  };

  return {
    get(token) {
      const entry = find(token);
      if (entry === undefined) return undefined;
      const now = clock.now();
      if (now >= entry.expiresAt) return answers[entry.jwt ? 'jwt' : 'opaque'].expired;
      if (now < entry.notBefore) return answers[entry.jwt ? 'jwt' : 'opaque'].early;
      return entry.freshUntil === Number.POSITIVE_INFINITY || clock.monotonic() < entry.freshUntil ? entry : undefined;
    },
    stale(token) {
      const entry = find(token);
      if (entry === undefined || clock.monotonic() >= entry.staleUntil || clock.now() >= entry.expiresAt)
        return undefined;
      return { ...entry.answer, cache: 'stale' };
    },
    put(token, facts) {
      const now = clock.monotonic();
      const { identity, jwt, key, leeway } = facts;
      entries.set(token, {
        jwt,
        key,
        answer: { kind: 'verified', identity, cache: 'hit' },
        notBefore: (identity.notBefore ?? Number.NEGATIVE_INFINITY) * 1000 - skew,
        expiresAt: (identity.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 + leeway,
        freshUntil: now + facts.freshFor,
        staleUntil: now + facts.freshFor + facts.staleFor,
      });
      return { kind: 'verified', identity, cache: 'miss' };
    },
    forget: (token) => entries.delete(token),
    clear: () => entries.clear(),
    size: () => entries.size,
  };
}

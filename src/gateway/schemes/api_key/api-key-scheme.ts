import { BoundedCache } from '../../../base/bounded-cache.ts';
import type { Asker } from '../../../base/bounded-queue.ts';
import { addressBlock } from '../../../base/client-address.ts';
import type { Clock } from '../../../base/clock.ts';
import { refused } from '../../../base/verdict.ts';
import type { Throttle } from '../../../counters/throttle.ts';
import { isBrokenApiKey } from '../../../http-auth/api-key.ts';
import type { Identity, SchemeVerification } from '../../message/identity.ts';
import { guardLogin } from '../guarded-login.ts';
import type { Presented } from '../http-scheme.ts';
import type { LookupResult } from '../lookup-result.ts';
import type { OpenedScheme } from '../scheme.ts';
import { identityOfKey } from './key-identity.ts';
import { type KnownKey, type KnownKeys, type SentKey, sentKey } from './known-keys.ts';

export interface ApiKeyParts {
  readonly realm: string;
  readonly challenge: string;
  readonly keys: KnownKeys;
  readonly throttle: Throttle;
  readonly clock: Clock;
  /** `limits.share`: the most places that one address block may have among requests that wait for a store. */
  readonly share: number;
}

/**
 * Milliseconds. A key that was valid does not ask the counters again within this time, because they may be on another
 * machine.
 */
const REMEMBERED_FOR = 60_000;
/** The number of remembered keys. The least recently used ones are forgotten. */
const MOST = 50_000;

interface Scene extends ApiKeyParts {
  /** Hashes of valid keys → the time until which they are remembered, by the monotonic clock. */
  readonly right: BoundedCache<number>;
  /** One identity for each key, because other results are cached by the identity. */
  readonly identities: WeakMap<KnownKey, Identity>;
}

type Verified = SchemeVerification | Promise<SchemeVerification>;

/** API keys on the routes that share one block. */
export function apiKeyScheme(parts: ApiKeyParts): OpenedScheme {
  const scene: Scene = { ...parts, right: new BoundedCache(MOST), identities: new WeakMap() };
  return {
    name: 'api_key',
    wantsEntity: () => undefined,
    challenges: () => [parts.challenge],
    verify: (presented) => verify(scene, presented),
  };
}

function verify(scene: Scene, { value, head }: Presented): Verified {
  const sent = sentKey(value);
  const { address } = head.origin;
  const isRemembered = (scene.right.get(sent.hash) ?? Number.NEGATIVE_INFINITY) > scene.clock.monotonic();
  const asker = { block: addressBlock(address, 48), share: scene.share };
  if (!isRemembered) return tried(scene, sent, asker, value, address);
  const again = (told: LookupResult<KnownKey>) =>
    told.kind === 'unknown' ? tried(scene, sent, asker, value, address) : judged(scene, told, 'hit');
  // A hash that was valid comes only from a client with the key, so it skips the queue of unknown clients.
  return whenSought(scene, sent, { block: sent.hash, share: scene.share, isKnown: true }, again);
}

/** Judges a key within the limit of wrong keys. For a wrong key, it keeps only enough of the hash to distinguish it. */
function tried(scene: Scene, sent: SentKey, asker: Asker, value: string, address: string): Verified {
  const name = `api_key ${sent.hash.slice(0, COUNTED)}`;
  const judge = (told: LookupResult<KnownKey>) => {
    if (told.kind === 'unknown') return refused('api_key_invalid', isBrokenApiKey(value) ? BROKEN : undefined);
    return judged(scene, told, 'miss');
  };
  const verdict = guardLogin({ throttle: scene.throttle, name, address }, () => whenSought(scene, sent, asker, judge));
  return verdict instanceof Promise ? verdict.then((told) => kept(scene, sent, told)) : kept(scene, sent, verdict);
}

/** Remembers a key only if the limit let it pass. A valid key in a burst of guesses is not remembered. */
function kept({ right, clock }: Scene, { hash }: SentKey, verdict: SchemeVerification): SchemeVerification {
  if (verdict.kind === 'verified') right.set(hash, clock.monotonic() + REMEMBERED_FOR);
  return verdict;
}

/** Characters of base64url. */
const COUNTED = 12;

const BROKEN = 'the checksum of the key is wrong: a part of the key is missing or mistyped';

/** A file answers at once, a store later. */
function whenSought(
  { keys }: Scene,
  sent: SentKey,
  asker: Asker,
  judge: (told: LookupResult<KnownKey>) => Verified,
): Verified {
  const sought = keys.find(sent, asker);
  return sought instanceof Promise ? sought.then(judge) : judge(sought);
}

function judged(
  scene: Scene,
  told: Exclude<LookupResult<KnownKey>, { kind: 'unknown' }>,
  cache: 'hit' | 'miss',
): SchemeVerification {
  if (told.kind === 'outage') return told;
  const { id, expiresAt } = told.user;
  if (isExpired(expiresAt, scene.clock)) return refused('api_key_expired', `key ${id}`);
  return { kind: 'verified', identity: identityOf(scene, told.user), cache };
}

function identityOf({ realm, identities }: Scene, key: KnownKey): Identity {
  const identity = identities.get(key) ?? identityOfKey(realm, key);
  identities.set(key, identity);
  return identity;
}

export function isExpired(expiresAt: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return expiresAt !== undefined && clock.now() >= expiresAt * 1000;
}

import type { Clock } from '../../../base/clock.ts';
import { refused } from '../../../base/verdict.ts';
import type { ApiKeyEntry } from '../../../config/files/api-keys.ts';
import type { Throttle } from '../../../counters/throttle.ts';
import { hashApiKey, isBrokenApiKey } from '../../../http-auth/api-key.ts';
import type { Identity, SchemeVerification } from '../../message/identity.ts';
import { guard } from '../guarded-login.ts';
import type { Presented } from '../http-scheme.ts';
import type { OpenedScheme } from '../scheme.ts';
import { identityOfKey } from './key-identity.ts';
import { type KnownKeys, octetsOf } from './known-keys.ts';

export interface ApiKeyParts {
  readonly realm: string;
  readonly challenge: string;
  readonly keys: KnownKeys;
  readonly throttle: Throttle;
  readonly clock: Clock;
}

/** For so long, in milliseconds, a key that was right is not asked after at the counters, which may be on another machine. */
const REMEMBERED_FOR = 60_000;

interface Scene extends ApiKeyParts {
  /** Keys that were right: until when, by the monotonic clock, and whose they are. */
  readonly right: Map<ApiKeyEntry, { until: number; readonly identity: Identity }>;
}

/** API keys on the routes that share one block. */
export function apiKeyScheme(parts: ApiKeyParts): OpenedScheme {
  const scene: Scene = { ...parts, right: new Map() };
  return {
    name: 'api_key',
    wantsEntity: () => undefined,
    challenges: () => [parts.challenge],
    verify: (presented) => verify(scene, presented),
  };
}

function verify(scene: Scene, { value, head }: Presented): SchemeVerification | Promise<SchemeVerification> {
  const octets = octetsOf(value);
  const hash = hashApiKey(octets);
  const key = scene.keys.find(hash, octets);
  const before = key && scene.right.get(key);
  if (key !== undefined && before !== undefined && before.until > scene.clock.monotonic())
    return unlessExpired(scene, key, before.identity, 'hit');
  // Of a wrong key no more is kept than tells it from the others.
  const name = `api_key ${hash.slice(0, COUNTED)}`;
  return guard({ throttle: scene.throttle, name, address: head.origin.address }, () => judge(scene, key, value));
}

/** Characters of base64url. */
const COUNTED = 12;

function judge(scene: Scene, key: ApiKeyEntry | undefined, value: string): SchemeVerification {
  if (key === undefined) return refused('api_key_invalid', isBrokenApiKey(value) ? BROKEN : undefined);
  const identity = scene.right.get(key)?.identity ?? identityOfKey(scene.realm, key);
  scene.right.set(key, { until: scene.clock.monotonic() + REMEMBERED_FOR, identity });
  return unlessExpired(scene, key, identity, 'miss');
}

const BROKEN = 'the check sum of the key does not fit: a part of it is missing or mistyped';

function unlessExpired(
  { clock }: Scene,
  { id, expiresAt }: ApiKeyEntry,
  identity: Identity,
  cache: 'hit' | 'miss',
): SchemeVerification {
  if (isExpired(expiresAt, clock)) return refused('api_key_expired', `key ${id}`);
  return { kind: 'verified', identity, cache };
}

export function isExpired(expiresAt: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return expiresAt !== undefined && clock.now() >= expiresAt * 1000;
}

import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { type Clock, seconds } from '../../base/clock.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../jwt/keys.ts';
import { importSign, makePrivateJwk, readJwk, type UserKeyAlgorithm } from '../../jwt/private-jwk.ts';
import { importSecret } from '../../jwt/secret-keys.ts';
import type { Sign } from '../../jwt/sign.ts';
import { isUserKid } from '../../oauth/user-key.ts';
import type { NewUserKey, Records, SignedBy, UserKeyRecord } from '../../storage/records/records.ts';
import { rotatedTooOften } from './rotated-too-often.ts';

/** A user's own key at one moment. The store must confirm the key before a signed token is issued. */
export interface UserSigner {
  readonly sign: Sign;
  readonly signedBy: SignedBy;
}

export interface SigningUserKey {
  /** The key signs only tokens of this user. */
  readonly subject: string;
  readonly key: VerificationKey;
}

/** `signing.user_keys`: one key for each user. Rotating it ends the JWTs of this user only. */
export interface SigningUserKeys {
  /** The user's key of `signing.alg`. The first call makes it. */
  signer(subject: string): Promise<UserSigner>;
  /** Undefined: the key does not exist, or no longer exists. */
  find(kid: string): Promise<SigningUserKey | undefined>;
}

export interface SigningUserKeysOptions {
  readonly records: Records;
  readonly config: Pick<AuthorizationConfig, 'signing'>;
  readonly clock: Clock;
}

/** Keys in memory, the most recently used ones. The store still decides each time which key is the user's. */
const MOST_READY = 10_000;

/** Attempts for one request. Each failed attempt means that the same user's key was rotated at that moment. */
export const MOST_TRIES = 5;

export function buildUserKeys({ records, config, clock }: SigningUserKeysOptions): SigningUserKeys {
  const { alg } = config.signing;
  const signs = new LRUCache<string, Sign>({ max: MOST_READY });
  const verifies = new LRUCache<string, VerificationKey>({ max: MOST_READY });
  const current = async (subject: string) =>
    (await records.findCurrentUserKey(subject, alg)) ??
    (await records.adoptUserKey(await newUserKey(subject, alg, seconds(clock))));
  return {
    async signer(subject) {
      const { kid, openPrivateJwk } = await untilThere(() => current(subject));
      const sign = signs.get(kid) ?? (await importSign(alg, kid, openPrivateJwk()));
      signs.set(kid, sign);
      return { sign, signedBy: { subject, alg, kid } };
    },
    async find(kid) {
      const record = isUserKid(kid) ? await records.findUserKey(kid) : undefined;
      if (record === undefined) return undefined;
      const key = verifies.get(kid) ?? (await importVerification(record));
      verifies.set(kid, key);
      return { subject: record.subject, key };
    },
  };
}

export async function newUserKey(subject: string, alg: UserKeyAlgorithm, createdAt: number): Promise<NewUserKey> {
  const kid = randomBytes(16).toString('base64url');
  const { publicJwk, privateJwk } = await makePrivateJwk(alg);
  return { kid, subject, alg, publicJwk: publicJwk && { ...publicJwk }, privateJwk, createdAt };
}

async function untilThere(look: () => Promise<UserKeyRecord | undefined>): Promise<UserKeyRecord> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const record = await look();
    if (record !== undefined) return record;
  }
  throw rotatedTooOften('user');
}

async function importVerification(record: UserKeyRecord): Promise<VerificationKey> {
  const alg = record.alg as AlgorithmName;
  const [key] =
    record.publicJwk === undefined
      ? await importSecret(secretOf(record), [alg])
      : ((await importKeys({ keys: [record.publicJwk] }, [alg]))?.keys ?? []);
  if (key === undefined) throw new Error(`the key ${record.kid} in the store cannot be used for ${record.alg}`);
  return key;
}

/** The secret of an HS256 key. */
function secretOf(record: UserKeyRecord): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(readJwk(record.openPrivateJwk()).k ?? '', 'base64url'));
}

/** The JWK for a verifier. It is public, except for HS256, where signer and verifier share one secret. */
export function publishedJwk(record: UserKeyRecord): JWK {
  return { ...((record.publicJwk as JWK | undefined) ?? readJwk(record.openPrivateJwk())) };
}

type Settings = Pick<AuthorizationConfig, 'signing' | 'tokens'>;

/** The expiry of the last JWT that a user's key may have signed until now; undefined if users have no keys. */
export function userKeysUntil({ signing, tokens }: Settings, now: number): number | undefined {
  return signing.user_keys ? now + Math.ceil(tokens.access.jwt_ttl / 1000) : undefined;
}

import type { ReadEngine } from '../engine/engine.ts';
import { StorageUnavailable, StorageUnusable } from '../engine/errors.ts';
import type { Seal } from '../engine/seal.ts';
import { bytes, text } from '../engine/verb.ts';
import { type ApiKeyRecord, type ApiKeyWanted, findApiKey } from '../records/api-keys.ts';
import { type DigestWanted, findDigestHash, purposeOf } from '../records/digest-users.ts';
import { findPasswordHash, samplePasswords } from '../records/imported-passwords.ts';
import { understood } from './read.ts';

export type { ApiKeyRecord, ApiKeyWanted, DigestWanted };

export type UserKind = 'basic' | 'digest' | 'api_key';

/** HA1 of RFC 7616. */
export interface DigestFact {
  readonly username: string;
  readonly ha1: string;
}

export interface PasswordFact {
  readonly username: string;
  /** A PHC string, or a hash in the form of htpasswd. */
  readonly passwordHash: string;
}

/**
 * The data of users that a gateway reads from the authorization service's database. As with `TokenFacts`, every verb rejects
 * with `StorageUnavailable` if there is no answer. It also does so if no key opens a value.
 */
export interface UserFacts {
  findDigest(wanted: DigestWanted): Promise<DigestFact | undefined>;
  /** By the username of an account. */
  findPassword(username: string): Promise<PasswordFact | undefined>;
  /** By a hash of the key. Also finds expired keys. */
  findApiKey(wanted: ApiKeyWanted): Promise<ApiKeyRecord | undefined>;
  /** The password hashes of users: all, or a sample if there are many. */
  samplePasswords(): Promise<readonly string[]>;
  /** Proves that users of this kind can be looked up. */
  ping(kind: UserKind): Promise<void>;
  /** Closes it permanently. */
  close(): Promise<void>;
}

/** `openSeal`: called for the first sealed value, and again after a value did not open. */
export function userFacts(engine: ReadEngine, openSeal: () => Seal): UserFacts {
  const unsealed = unsealer(openSeal);
  const findDigest = async (wanted: DigestWanted): Promise<DigestFact | undefined> => {
    const row = await engine.read(() => understood(findDigestHash(wanted)));
    if (row === undefined) return unsealed.nothing();
    const username = text(row, 'username');
    const purpose = purposeOf({ realm: wanted.realm, username, algorithm: wanted.algorithm });
    return { username, ha1: unsealed.text(bytes(row, 'ha1'), purpose) };
  };
  const findPassword = (username: string) => engine.read(() => understood(findPasswordHash(username)));
  const findKey = (wanted: ApiKeyWanted) => engine.read(() => understood(findApiKey(wanted)));
  const pings: Readonly<Record<UserKind, () => Promise<unknown>>> = {
    digest: () => findDigest({ realm: '', algorithm: '', name: '', isHashed: false }),
    basic: () => findPassword(''),
    api_key: () => findKey({ sha256: '' }),
  };
  return {
    findDigest,
    findPassword,
    findApiKey: findKey,
    samplePasswords: () => engine.read(() => understood(samplePasswords())),
    ping: async (kind) => void (await pings[kind]()),
    close: () => engine.close(),
  };
}

/** As long as an HA1 of 256 bits. */
const DECOY_HASH = Buffer.alloc(64, '0');

function unsealer(openSeal: () => Seal) {
  let held: { readonly seal: Seal; readonly decoy: Uint8Array } | undefined;
  const hold = () => {
    const seal = openSeal();
    return { seal, decoy: seal.seal(DECOY_HASH, '') };
  };
  const opened = (choose: (decoy: Uint8Array) => Uint8Array, purpose: string): string => {
    try {
      held ??= hold();
      return Buffer.from(held.seal.open(choose(held.decoy), purpose)).toString();
    } catch (cause) {
      held = undefined;
      if (!(cause instanceof StorageUnusable)) throw cause;
      throw new StorageUnavailable(cause.message, { cause });
    }
  };
  return {
    text: (sealed: Uint8Array, purpose: string) => opened(() => sealed, purpose),
    /** For an unknown user: the same work, and the same outage. */
    nothing: () => void opened((decoy) => decoy, ''),
  };
}

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

/** In the words of RFC 7616, HA1. */
export interface DigestFact {
  readonly username: string;
  readonly ha1: string;
}

export interface PasswordFact {
  readonly username: string;
  /** PHC string, or as htpasswd writes it. */
  readonly passwordHash: string;
}

/**
 * What a gateway reads of users in the database of the authorization service. As with `TokenFacts` every verb is rejected
 * with `StorageUnavailable` where there is no answer, and where no key opens it too.
 */
export interface UserFacts {
  findDigest(wanted: DigestWanted): Promise<DigestFact | undefined>;
  /** By the name as accounts are named. */
  findPassword(username: string): Promise<PasswordFact | undefined>;
  /** By a hash of the key. Finds expired keys too. */
  findApiKey(wanted: ApiKeyWanted): Promise<ApiKeyRecord | undefined>;
  /** Passwords of users, as they are kept: all, or some of them where there are many. */
  samplePasswords(): Promise<readonly string[]>;
  /** Shows that users of this kind can be looked for. */
  ping(kind: UserKind): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

/** `openSeal`: called when the first sealed value is met, and again after one did not open. */
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
const NOBODY = Buffer.alloc(64, '0');

function unsealer(openSeal: () => Seal) {
  let held: { readonly seal: Seal; readonly decoy: Uint8Array } | undefined;
  const hold = () => {
    const seal = openSeal();
    return { seal, decoy: seal.seal(NOBODY, '') };
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

import type { Asker } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type {
  ApiKeyRecord,
  ApiKeyWanted,
  DigestFact,
  DigestWanted,
  PasswordFact,
  UserFacts,
  UserKind,
} from '../../storage/lookup/users.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { type StoreLook, storeLook } from '../server-client/store-look.ts';
import type { UserLookup } from './lookup-result.ts';
import { type StoredDecoys, storedDecoys } from './stored-decoys.ts';
import { userLookups } from './user-lookups.ts';

/** The users of one kind in the store of an authorization service, for every route that names the store. */
export interface UserStore extends Omit<StoreLook, 'close'> {
  findDigest(wanted: DigestWanted, asker: Asker): UserLookup<DigestFact>;
  /** Accepts each spelling of a name that the accounts accept. */
  findPassword(username: string, asker: Asker): UserLookup<PasswordFact>;
  findApiKey(wanted: ApiKeyWanted, asker: Asker): UserLookup<ApiKeyRecord>;
  /** Replaces the stored password if no user has this name. */
  decoyOf: StoredDecoys['of'];
  close(): Promise<void>;
}

export interface UserStoreDependencies {
  readonly kind: UserKind;
  readonly clock: Clock;
  readonly faults: FaultLog;
  /** Faults of the last read of the passwords' costs. */
  readonly costFaults: FaultLog;
}

export function userStore(facts: UserFacts, { kind, clock, faults, costFaults }: UserStoreDependencies): UserStore {
  const digests = userLookups<DigestFact>(clock);
  const passwords = userLookups<PasswordFact>(clock);
  const apiKeys = userLookups<ApiKeyRecord>(clock);
  const { close, start, ...look } = storeLook(() => facts.ping(kind), faults);
  const decoys = storedDecoys(() => facts.samplePasswords(), { clock, faults: costFaults });
  const findPassword = async (username: string) => {
    const fact = await facts.findPassword(username);
    if (fact !== undefined) decoys.met(fact.passwordHash);
    return fact;
  };
  const begin = async () => void (await Promise.all([start(), kind === 'basic' && decoys.refresh()]));
  let started: Promise<void> | undefined;
  return {
    ...look,
    start: () => (started ??= begin()),
    findDigest: (wanted, asker) => digests.find(keyOf(wanted), asker, () => facts.findDigest(wanted)),
    findPassword: (username, asker) => passwords.find(username, asker, () => findPassword(username)),
    findApiKey: (wanted, asker) =>
      apiKeys.find(`${wanted.sha256} ${wanted.hmac}`, asker, () => facts.findApiKey(wanted)),
    decoyOf: decoys.of,
    async close() {
      close();
      await facts.close();
    },
  };
}

/** The lengths separate the parts, so that no other name and realm give the same key. */
function keyOf({ realm, algorithm, name, isHashed }: DigestWanted): string {
  return `${algorithm} ${isHashed} ${realm.length}:${realm}${name}`;
}

import type { Clock } from '../../base/clock.ts';
import type { DigestFact, DigestWanted, PasswordFact, UserFacts, UserKind } from '../../storage/read-users.ts';
import type { FaultLog } from '../verify/fault-log.ts';
import { type StoreLook, storeLook } from '../verify/store-look.ts';
import type { Sought } from './sought.ts';
import { userLookups } from './user-lookups.ts';

/** The users of one kind in the store of an authorization service, for every route that names it. */
export interface UserStore extends Omit<StoreLook, 'close'> {
  findDigest(wanted: DigestWanted, forWhom: string): Sought<DigestFact>;
  /** By the name as accounts are named. */
  findPassword(username: string, forWhom: string): Sought<PasswordFact>;
  close(): Promise<void>;
}

export interface UserStoreDependencies {
  readonly kind: UserKind;
  readonly clock: Clock;
  readonly faults: FaultLog;
}

export function userStore(facts: UserFacts, { kind, clock, faults }: UserStoreDependencies): UserStore {
  const digests = userLookups<DigestFact>(clock);
  const passwords = userLookups<PasswordFact>(clock);
  const { close, start, ...look } = storeLook(() => facts.ping(kind), faults);
  let started: Promise<void> | undefined;
  return {
    ...look,
    start: () => (started ??= start()),
    findDigest: (wanted, forWhom) => digests.find(keyOf(wanted), forWhom, () => facts.findDigest(wanted)),
    findPassword: (username, forWhom) => passwords.find(username, forWhom, () => facts.findPassword(username)),
    async close() {
      close();
      await facts.close();
    },
  };
}

/** Parts told apart by their lengths: of a name and a realm together no other can be made. */
function keyOf({ realm, algorithm, name, isHashed }: DigestWanted): string {
  return `${algorithm} ${isHashed} ${realm.length}:${realm}${name}`;
}

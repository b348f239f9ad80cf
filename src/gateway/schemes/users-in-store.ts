import { maskPasswords } from '../../config/yaml/frame.ts';
import type { UserKind } from '../../storage/lookup/users.ts';
import { openUserFacts } from '../../storage/open-users.ts';
import { faultLog } from '../message/fault-log.ts';
import type { SchemeDependency, SchemeScene } from './scheme.ts';
import { type UserStore, userStore } from './user-store.ts';

/** `users: { storage }` of a block. */
export interface StoredUsers {
  readonly storage: string;
  readonly encryption_keys?: readonly string[];
}

/** One object for all routes that name the store, even over a reload. Its cache is never older than a second. */
export function openUsersInStore(scene: SchemeScene, kind: UserKind, source: StoredUsers): UserStore {
  const { kept, lease, clock, log, directory, stores } = scene;
  const { storage, encryption_keys: encryptionKeys } = source;
  const store = kept.userStores.take(lease, [kind, source], () => {
    const faults = faultLog(log, { users: kind }, 'ask the database of users');
    const costFaults = faultLog(log, { users: kind }, 'read the costs of passwords');
    return userStore(openUserFacts(storage, { directory, clock, encryptionKeys }), { kind, clock, faults, costFaults });
  });
  stores.add(store);
  return store;
}

/** A file of users is read with the configuration, so only a store is a dependency. */
export function storeOf(kind: UserKind, users: string | StoredUsers): readonly SchemeDependency[] {
  if (typeof users === 'string') return [];
  const { storage, encryption_keys: encryptionKeys } = users;
  return [
    {
      key: { kind, storage, encryptionKeys },
      about: `users of ${kind} ${maskPasswords(storage)}`,
      remedy:
        'copy `storage` from the file of the authorization service; if `users` has `encryption_keys`, copy these keys too',
      async look({ directory, clock, opened }) {
        const facts = openUserFacts(storage, { directory, clock, encryptionKeys, traceless: true });
        opened.defer(() => facts.close());
        await facts.ping(kind);
      },
    },
  ];
}

import { maskPasswords } from '../../config/frame.ts';
import type { RouteConfig } from '../../config/gateway.ts';
import { schemesOf } from '../../config/gateway.ts';
import type { UserKind } from '../../storage/read-users.ts';
import { openUserFacts, type UserReadOptions } from '../../storage/read-users-open.ts';
import { good, type Probe } from './finding.ts';
import { storeFault } from './store-fault.ts';
import type { Around, GatewaySubject } from './subject.ts';

interface UserStore {
  readonly kind: UserKind;
  readonly storage: string;
  readonly encryptionKeys: UserReadOptions['encryptionKeys'];
}

/** The stores of users of Basic and Digest can be read, and opened where they are sealed. */
export function userStores({ config, directory }: GatewaySubject, { clock, opened }: Around): readonly Probe[] {
  const stores = new Map(config.routes.flatMap(storesOf).map((store) => [JSON.stringify(store), store]));
  return [...stores.values()].map(({ kind, storage, encryptionKeys }) => ({
    about: `users of ${kind} ${maskPasswords(storage)}`,
    look: async () => {
      try {
        const facts = openUserFacts(storage, { directory, clock, encryptionKeys, traceless: true });
        opened.defer(() => facts.close());
        await facts.ping(kind);
        return good('can be read');
      } catch (error) {
        return storeFault(error, 'name the `storage` of the authorization service, and its `encryption_keys`');
      }
    },
  }));
}

function storesOf({ auth, basic, digest }: RouteConfig): readonly UserStore[] {
  const sources: Readonly<Record<UserKind, string | Source | undefined>> = {
    basic: basic?.users,
    digest: digest?.users,
  };
  return (['basic', 'digest'] as const).flatMap((kind) => {
    const source = schemesOf(auth).includes(kind) ? sources[kind] : undefined;
    if (source === undefined || typeof source === 'string') return [];
    return [{ kind, storage: source.storage, encryptionKeys: source.encryption_keys }];
  });
}

interface Source {
  readonly storage: string;
  readonly encryption_keys?: readonly string[];
}

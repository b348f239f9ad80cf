import { maskPasswords } from '../../config/frame.ts';
import { openTokenFacts } from '../../storage/read-open.ts';
import { good, type Probe } from './finding.ts';
import { storeFault } from './store-fault.ts';
import type { Around, GatewaySubject } from './subject.ts';

/** The databases of `verify: store` are there, can be read, and have the tables that are asked. */
export function tokenStores({ config, directory }: GatewaySubject, { clock, opened }: Around): readonly Probe[] {
  return Object.entries(config.authorization_servers).flatMap(([name, { verify, storage }]) => {
    if (verify !== 'store' || storage === undefined) return [];
    const look = async () => {
      try {
        const facts = openTokenFacts(storage, { directory, clock, traceless: true });
        opened.defer(() => facts.close());
        await facts.ping();
        return good('can be read, and has the tables');
      } catch (error) {
        return storeFault(
          error,
          'name the `storage` of the authorization service, and start that once: it makes the tables',
        );
      }
    };
    return [{ about: `authorization_servers.${name} ${maskPasswords(storage)}`, look }];
  });
}

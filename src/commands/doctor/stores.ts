import { maskPasswords } from '../../config/yaml/frame.ts';
import { schemesTaken } from '../../gateway/schemes/schemes-of.ts';
import { openTokenFacts } from '../../storage/open-lookup.ts';
import { storeFault } from './faults.ts';
import { type DoctorProbe, good } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** The databases of `verify: store` are there, can be read, and have the tables that are asked. */
export function tokenStores(
  { config, directory }: LoadedGatewayFile,
  { clock, opened }: DoctorContext,
): readonly DoctorProbe[] {
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

/** What the credential schemes of the routes ask, such as stores of users, can be read, and opened where it is sealed. */
export function userStores(
  { config, directory }: LoadedGatewayFile,
  { clock, opened }: DoctorContext,
): readonly DoctorProbe[] {
  const named = config.routes.flatMap((route) =>
    schemesTaken(route).flatMap(({ row, block }) => row.dependencies(block)),
  );
  const once = new Map(named.map((dependency) => [JSON.stringify(dependency.key), dependency]));
  return [...once.values()].map(({ about, remedy, look }) => ({
    about,
    look: async () => {
      try {
        await look({ directory, clock, opened });
        return good('can be read');
      } catch (error) {
        return storeFault(error, remedy);
      }
    },
  }));
}

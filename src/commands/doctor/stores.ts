import { type AdminAccess, isByBasic, operatorsBlock } from '../../config/schema/admin.ts';
import { maskPasswords } from '../../config/yaml/frame.ts';
import type { SchemeDependency } from '../../gateway/schemes/scheme.ts';
import { schemesTaken } from '../../gateway/schemes/schemes-of.ts';
import { schemes } from '../../gateway/schemes/table.ts';
import { openTokenFacts } from '../../storage/open-lookup.ts';
import { storeFault } from './faults.ts';
import { type DoctorProbe, good } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** The databases of `verify: store` exist, are readable, and have the required tables. */
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
          'name the `storage` of the authorization service, and start the service once: it creates the tables',
        );
      }
    };
    return [{ about: `authorization_servers.${name} ${maskPasswords(storage)}`, look }];
  });
}

function operatorStores(access: AdminAccess | undefined): readonly SchemeDependency[] {
  return access !== undefined && isByBasic(access) ? schemes.basic.dependencies(operatorsBlock(access)) : [];
}

/** The stores of the routes' credential schemes, such as stores of users, are readable, and sealed values can be opened. */
export function userStores(
  { config, directory }: LoadedGatewayFile,
  { clock, opened }: DoctorContext,
): readonly DoctorProbe[] {
  const named = [
    ...config.routes.flatMap((route) => schemesTaken(route).flatMap(({ row, block }) => row.dependencies(block))),
    ...operatorStores(config.admin?.access),
  ];
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

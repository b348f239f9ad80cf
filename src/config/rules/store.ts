import type { AuthorizationServerConfig } from '../schema/gateway.ts';
import { sharedDatabaseFaults } from '../words/database-url.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

type Server = Member<AuthorizationServerConfig>;

/** Rules for tokens that the gateway looks up in the database of their authorization service. */
export const storeChecks: Checks<GatewaySubject> = {
  'store to look in': ({ servers }) => servers.flatMap(storageFaults),
  'endpoint beside a store': ({ servers }) => servers.flatMap(endpointFaults),
};

function storageFaults({ at, value: { verify, storage } }: Server): readonly Finding[] {
  const pointer = [...at, 'storage'];
  if (verify === 'store' && storage === undefined) {
    const hint =
      'write the `storage` of the authorization service here, such as sqlite:/var/lib/gatehouse/gatehouse.db';
    return [{ pointer: [...at, 'verify'], message: '`store` needs `storage`', hint }];
  }
  if (storage === undefined) return [];
  if (verify !== 'store') {
    const hint = 'write `verify: store`, or remove `storage`';
    return [{ pointer, message: `\`storage\` is never read with \`verify: ${verify}\``, hint, atKey: true }];
  }
  return sharedDatabaseFaults(pointer, storage);
}

const ofEndpoints = ['introspection_endpoint', 'client_id', 'client_secret', 'client_key'] as const;

function endpointFaults({ at, value }: Server): readonly Finding[] {
  if (value.verify !== 'store') return [];
  return ofEndpoints
    .filter((key) => value[key] !== undefined)
    .map((key) => ({
      pointer: [...at, key],
      message: `with \`verify: store\` the gateway asks no endpoint, so \`${key}\` is never used`,
      hint: 'remove it, or write another `verify`',
      atKey: true,
    }));
}

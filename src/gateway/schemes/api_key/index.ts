import { type ApiKeyEntry, parseApiKeys } from '../../../config/files/api-keys.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import type { ApiKeyConfig } from '../../../config/schemes/api_key/schema.ts';
import { apiKeyChallenge } from '../../../http-auth/api-key.ts';
import type { Assumed, GatewayScheme, OpenedScheme, SchemeScene } from '../scheme.ts';
import { userSource } from '../user-source.ts';
import { openUsersInStore, storeOf } from '../users-in-store.ts';
import { usersOfFile } from '../users-of-file.ts';
import { apiKeyScheme } from './api-key-scheme.ts';
import { assumedClients } from './assumed-clients.ts';
import { type KnownKeys, keysOfFile, keysOfStore } from './known-keys.ts';

/** API keys, in a header or a query parameter. */
export const apiKey: GatewayScheme<ApiKeyConfig> = {
  open,
  assume,
  describe: ({ issuer, claims }) =>
    `verified by a key of ${issuer}${claims.key_id === undefined ? '' : ` (key id ${claims.key_id})`}`,
  countsUses: false,
  isRevoked: true,
  // A file is read with the configuration, so only a store is a dependency.
  dependencies: ({ keys }) => storeOf('api_key', keys),
};

/** Nothing of the scheme outlives a reload. So a removed key gives no access afterwards. */
function open(config: ApiKeyConfig, scene: SchemeScene): OpenedScheme {
  const { clock, throttle } = scene;
  const { share } = scene.config.limits;
  return apiKeyScheme({ ...challengeOf(config, scene.config), keys: keysOf(config, scene), throttle, clock, share });
}

function keysOf({ keys, hmac_key }: ApiKeyConfig, scene: SchemeScene): KnownKeys {
  const secret = hmac_key === undefined ? undefined : Buffer.from(hmac_key, 'base64');
  if (typeof keys !== 'string') return keysOfStore(openUsersInStore(scene, 'api_key', keys), secret);
  return keysOfFile(usersOfFile<readonly ApiKeyEntry[]>(scene, keys, parseApiKeys, []), secret);
}

function assume(config: ApiKeyConfig, gateway: GatewayConfig, directory?: string): Assumed {
  const { realm, challenge } = challengeOf(config, gateway);
  const file = typeof config.keys === 'string' ? config.keys : undefined;
  return {
    ...assumedClients(file, realm, directory),
    challenges: () => [challenge],
    source: userSource(config.keys),
    wrong: 'api_key_invalid',
  };
}

function challengeOf({ realm: own, in: place, name }: ApiKeyConfig, { realm: fallback }: GatewayConfig) {
  const realm = own ?? fallback;
  return { realm, challenge: apiKeyChallenge({ realm, in: place, name }) };
}

import { type ApiKeyEntry, parseApiKeys } from '../../../config/files/api-keys.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import type { ApiKeyConfig } from '../../../config/schemes/api_key/schema.ts';
import { apiKeyChallenge } from '../../../http-auth/api-key.ts';
import type { Assumed, GatewayScheme, OpenedScheme, SchemeScene } from '../scheme.ts';
import { usersOfFile } from '../users-of-file.ts';
import { apiKeyScheme } from './api-key-scheme.ts';
import { assumedClients } from './assumed-clients.ts';
import { knownKeys } from './known-keys.ts';

/** API keys, in a header or a query parameter. */
export const apiKey: GatewayScheme<ApiKeyConfig> = {
  open,
  assume,
  describe: ({ issuer, claims }) => `by a key of ${issuer}${claims.key_id === undefined ? '' : `, ${claims.key_id}`}`,
  countsUses: false,
  // The file is looked at with the configuration.
  dependencies: () => [],
};

/** Nothing of it outlives a reload, so that a key whose line is gone opens nothing from then on. */
function open(config: ApiKeyConfig, scene: SchemeScene): OpenedScheme {
  const { clock, throttle } = scene;
  const entries = usersOfFile<readonly ApiKeyEntry[]>(scene, config.keys, parseApiKeys, []);
  const secret = config.hmac_key === undefined ? undefined : Buffer.from(config.hmac_key, 'base64');
  const { realm, challenge } = challengeOf(config, scene.config);
  return apiKeyScheme({ realm, challenge, keys: knownKeys(entries, secret), throttle, clock });
}

function assume(config: ApiKeyConfig, gateway: GatewayConfig, directory?: string): Assumed {
  const { realm, challenge } = challengeOf(config, gateway);
  return { ...assumedClients(config.keys, realm, directory), challenges: () => [challenge], wrong: 'api_key_invalid' };
}

function challengeOf({ realm: own, in: place, name }: ApiKeyConfig, { realm: fallback }: GatewayConfig) {
  const realm = own ?? fallback;
  return { realm, challenge: apiKeyChallenge({ realm, in: place, name }) };
}

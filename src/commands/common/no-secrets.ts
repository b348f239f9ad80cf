import { printableValue } from '../../base/printable.ts';
import {
  type Loaded,
  loadAuthorizationConfig,
  loadAuthorizationWithoutSecrets,
  loadGatewayConfig,
  loadGatewayWithoutSecrets,
} from '../../config/load/load.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** As commander gives the option: true where it is not written. */
export interface SecretsOption {
  readonly secrets: boolean;
}

/** Loads gateway.yaml by the option. What was not read is told on standard error, so that it stands in no output. */
export function loadGateway(file: string, { secrets }: SecretsOption): Loaded<GatewayConfig> {
  return told(file, secrets ? loadGatewayConfig(file) : loadGatewayWithoutSecrets(file));
}

/** The same of authorization.yaml. */
export function loadAuthorization(file: string, { secrets }: SecretsOption): Loaded<AuthorizationConfig> {
  return told(file, secrets ? loadAuthorizationConfig(file) : loadAuthorizationWithoutSecrets(file));
}

function told<Config>(file: string, loaded: Loaded<Config>): Loaded<Config> {
  if (loaded.ok && loaded.passedOver.length > 0)
    process.stderr.write(
      `${printableValue(`gatehouse: ${file}: not judged without secrets: ${loaded.passedOver.join(', ')}`)}\n`,
    );
  return loaded;
}

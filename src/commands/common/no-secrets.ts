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

/**
 * Loads gateway.yaml by the option. Skipped secrets and files are listed on standard error, so that no output contains them.
 */
export function loadGateway(file: string, { secrets }: SecretsOption): Loaded<GatewayConfig> {
  return told(file, secrets ? loadGatewayConfig(file) : loadGatewayWithoutSecrets(file));
}

/** The same of authorization.yaml. */
export function loadAuthorization(file: string, { secrets }: SecretsOption): Loaded<AuthorizationConfig> {
  return told(file, secrets ? loadAuthorizationConfig(file) : loadAuthorizationWithoutSecrets(file));
}

function told<Config>(file: string, loaded: Loaded<Config>): Loaded<Config> {
  const { passedOver = [] } = loaded;
  if (passedOver.length > 0) say(`${file}: not judged without secrets: ${passedOver.join(', ')}`);
  const lacking = loaded.ok ? [] : (loaded.lacking ?? []);
  if (lacking.length > 0)
    say(
      `${file}: nothing can stand for ${lacking.join(', ')}, so no request is judged, and no test of the file is run`,
    );
  return loaded;
}

function say(text: string): void {
  process.stderr.write(`${printableValue(`gatehouse: ${text}`)}\n`);
}

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

/** As commander parses the option: true if it is absent. */
export interface SecretsOption {
  readonly secrets: boolean;
}

/**
 * Loads gateway.yaml according to the option. Skipped secrets and files are listed on standard error, so that no output
 * contains them.
 */
export function loadGateway(file: string, { secrets }: SecretsOption): Loaded<GatewayConfig> {
  return told(file, secrets ? loadGatewayConfig(file) : loadGatewayWithoutSecrets(file));
}

/** Does the same for authorization.yaml. */
export function loadAuthorization(file: string, { secrets }: SecretsOption): Loaded<AuthorizationConfig> {
  return told(file, secrets ? loadAuthorizationConfig(file) : loadAuthorizationWithoutSecrets(file));
}

function told<Config>(file: string, loaded: Loaded<Config>): Loaded<Config> {
  const { skipped = [] } = loaded;
  if (skipped.length > 0) say(`${file}: skipped because of --no-secrets: ${skipped.join(', ')}`);
  const lacking = loaded.ok ? [] : (loaded.lacking ?? []);
  if (lacking.length > 0)
    say(
      `${file}: ${lacking.join(', ')} cannot be replaced by a placeholder, so the command judges no request, and runs no test of the file`,
    );
  return loaded;
}

function say(text: string): void {
  process.stderr.write(`${printableValue(`gatehouse: ${text}`)}\n`);
}

import { Option } from 'commander';

const FLAGS = '-c, --config <file>';

/** The file of the gateway; `gateway.yaml` in the current folder by default. */
export function gatewayOption(more = ''): Option {
  return new Option(FLAGS, `the file of the gateway${more}`).default('gateway.yaml');
}

/** The file of the authorization service; `authorization.yaml` in the current folder by default. */
export function authorizationOption(): Option {
  return new Option(FLAGS, 'the file of the authorization service').default('authorization.yaml');
}

/** The file of either program; `gateway.yaml` in the current folder by default. */
export function eitherOption(more = ''): Option {
  return new Option(FLAGS, `the file of the gateway or of the authorization service${more}`).default('gateway.yaml');
}

/** For a command that judges a file and runs nothing. */
export const NO_SECRETS = '--no-secrets';

export function noSecretsOption(): Option {
  return new Option(NO_SECRETS, 'judge the file only: read no secret and no variable, and contact no server');
}

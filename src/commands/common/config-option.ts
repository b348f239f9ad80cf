import { Option } from 'commander';

const FLAGS = '-c, --config <file>';

/** The file of the gateway; without the option it is `gateway.yaml` here. */
export function gatewayOption(more = ''): Option {
  return new Option(FLAGS, `the file of the gateway${more}`).default('gateway.yaml');
}

/** The file of the authorization service; without the option it is `authorization.yaml` here. */
export function authorizationOption(): Option {
  return new Option(FLAGS, 'the file of the authorization service').default('authorization.yaml');
}

/** The file of either program; without the option it is `gateway.yaml` here. */
export function eitherOption(more = ''): Option {
  return new Option(FLAGS, `the file of the gateway or of the authorization service${more}`).default('gateway.yaml');
}

/** For a command that judges a file and runs nothing. */
export const NO_SECRETS = '--no-secrets';

export function noSecretsOption(): Option {
  return new Option(NO_SECRETS, 'judge the file only: read no secret and no variable, and contact no server');
}

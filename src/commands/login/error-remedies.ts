import { quoted } from '../../base/quoted.ts';
import { LoginFailure } from './failure.ts';

/** OAuth error code → remedy for the user (RFC 6749 §4.1.2.1, §5.2, RFC 8707 §2). */
const remedies: Readonly<Record<string, string>> = {
  access_denied: 'run the command again, and allow the access',
  invalid_scope: 'request fewer scopes with --scope, or register the scope for the client',
  invalid_target: 'write --resource exactly as the server lists it',
  unauthorized_client: 'register the grant type `authorization_code` for the client',
  unsupported_response_type:
    'this server issues no authorization codes, which this command needs: ask the operator of the server',
  invalid_grant: 'run the command again: a code is valid once, and for a short time',
  server_error: 'try again later, or read the log of the server',
  temporarily_unavailable: 'try again later',
};

const OTHERWISE = 'the documentation of the server explains this error';

export interface ServerError {
  /** The `error` value. */
  readonly code: string;
  readonly description: string | undefined;
}

/** The error of an authorization server, with its own words and a remedy. */
export function serverFailure({ code, description }: ServerError, remedy = remedies[code] ?? OTHERWISE): LoginFailure {
  const words = description === undefined ? '' : ` (${quoted(description)})`;
  const name = /^[\w.-]{1,60}$/.test(code) ? code : quoted(code);
  return new LoginFailure(`the authorization server answers ${name}${words}: ${remedy}`);
}

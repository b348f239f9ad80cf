import { quoted } from '../../base/quoted.ts';
import { onlyValue } from './callback-server.ts';
import { serverFailure } from './error-remedies.ts';
import { LoginFailure } from './failure.ts';
import type { Provider } from './provider.ts';

/** The code of an answer whose `state` is right. The answer must come from the issuer (RFC 9207 §2.4). */
export function authorizationCodeIn(parameters: URLSearchParams, { issuer, sendsIssuer }: Provider): string {
  const from = onlyValue(parameters, 'iss');
  if (from !== issuer && (sendsIssuer || parameters.has('iss')))
    throw new LoginFailure(
      `the answer is from the issuer ${quoted(from)}, not from ${quoted(issuer)}: the command sent no code to either issuer; sign in only at the address that the command prints`,
    );
  const error = onlyValue(parameters, 'error');
  if (error !== undefined)
    throw serverFailure({ code: error, description: onlyValue(parameters, 'error_description') });
  const code = onlyValue(parameters, 'code');
  if (code === undefined)
    throw new LoginFailure('the answer has neither a code nor an error: the authorization server breaks RFC 6749');
  return code;
}

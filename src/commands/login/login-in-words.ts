import { printableJson, printableValue } from '../../base/printable.ts';
import { durationInWords } from '../../base/time-in-words.ts';
import type { LoginResult } from './browser-login.ts';

/** The whole answer of the token endpoint, and the verified claims. */
export function loginAsJson({ tokens, claims, userinfo }: LoginResult): string {
  return printableJson({ ...tokens, ...(claims && { claims }), ...(userinfo && { userinfo }) });
}

/** The summary for a person: who signed in, the scope, and the lifetime. `requested`: the scope of the request. */
export function loginInWords(signedIn: LoginResult, requested: string | undefined): string {
  const { scope, expires_in: lifetime } = signedIn.tokens;
  // RFC 6749 §5.1: an answer without a scope grants the requested one.
  const granted = typeof scope === 'string' ? scope : requested;
  const lines = [
    who(signedIn),
    ...(granted === undefined ? [] : [`Scope: ${granted}`]),
    ...(typeof lifetime === 'number' ? [`The token is valid for ${durationInWords(lifetime)}.`] : []),
  ];
  return lines.map((line) => `${printableValue(line)}\n`).join('');
}

function who({ claims, userinfo }: LoginResult): string {
  if (claims === undefined)
    return 'Signed in. The answer has no ID token, so the command does not know the user. Servers with OpenID Connect send an ID token for the scope `openid`.';
  const known = { ...userinfo, ...claims };
  const name = [known.name, known.preferred_username, known.email].find((text) => typeof text === 'string');
  return name === undefined || name === claims.sub
    ? `Signed in as ${claims.sub}.`
    : `Signed in as ${name} (sub ${claims.sub}).`;
}

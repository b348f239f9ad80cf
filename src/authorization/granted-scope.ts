import { OAuthError } from '../oauth/errors.ts';
import { parseScope } from '../oauth/scope.ts';

/** Never more than was registered: an excess is refused or left out. Without a request, all that was registered (RFC 6749 §3.3). */
export function grantedScope(
  requested: string | undefined,
  registered: readonly string[],
  excess: 'reject' | 'narrow',
): readonly string[] {
  if (requested === undefined) return registered;
  const wanted = parseScope(requested);
  if (wanted === undefined) throw new OAuthError('invalid_scope', { description: 'The scope is malformed.' });
  const granted = wanted.filter((scope) => registered.includes(scope));
  const isTooMuch = granted.length === 0 || (excess === 'reject' && granted.length < wanted.length);
  if (isTooMuch)
    throw new OAuthError('invalid_scope', { description: 'The scope exceeds what the client registered.' });
  return granted;
}

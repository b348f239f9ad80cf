import type { AuthorizationFile } from '../schema/authorization.ts';
import { didYouMean } from '../words/closest.ts';
import { openidScopes } from '../words/openid-scopes.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeTokenFault, scopeWords } from '../words/scope-words.ts';

interface Known {
  readonly scopes: AuthorizationFile['scopes'];
  readonly openid: { readonly enabled: boolean };
}

/** The scopes that a client may have. */
export function knownScopes({ scopes, openid }: Known): readonly string[] {
  return [...Object.keys(scopes), ...(openid.enabled ? Object.keys(openidScopes) : [])];
}

export function scopeFaults(pointer: Pointer, scope: string, known: readonly string[]): readonly Finding[] {
  return scopeWords(scope).flatMap((token): Finding[] => {
    const message = scopeTokenFault(token);
    if (message !== undefined) return [{ pointer, message }];
    return known.includes(token)
      ? []
      : [{ pointer, message: `\`${token}\` is not in \`scopes\``, hint: scopeHint(token, known) }];
  });
}

function scopeHint(token: string, known: readonly string[]): string | undefined {
  return token === 'openid' ? 'write `openid: { enabled: true }`' : didYouMean(token, known);
}

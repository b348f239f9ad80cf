import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { openidScopes } from '../../config/words/openid-scopes.ts';
import type { Texts } from '../pages/pages.ts';

/** What the scope allows: the operator's text, or our own text in the language of the page. Without a text, the scope itself. */
export function scopeDescription({ scopes }: AuthorizationConfig, token: string, texts: Texts): string {
  const words = (Object.hasOwn(scopes, token) ? scopes[token] : undefined) ?? token;
  const isOurs = Object.hasOwn(openidScopes, token) && openidScopes[token] === words;
  return isOurs ? (texts.scopes[token] ?? words) : words;
}

import { unusual, usualMethods } from '../config/checks-routes.ts';
import { didYouMean } from '../config/closest.ts';
import type { GatewayConfig, ScopeConfig } from '../config/gateway.ts';
import { scopeTokens } from '../config/scope-words.ts';

interface Question {
  readonly method: string;
  /** Of the token that is assumed. */
  readonly scope?: string | undefined;
}

/** What of a question is more likely a slip than meant, a sentence each: the answer would be right, and about nothing. */
export function doubts({ method, scope }: Question, { routes }: GatewayConfig): readonly string[] {
  const named = new Set(routes.flatMap((route) => (route.scope === undefined ? [] : wordsOf(route.scope))));
  const strange = scope === undefined ? [] : scopeTokens(scope).filter((word) => !named.has(word));
  return [
    ...(isOdd(method, routes) ? [told(`\`${method}\` is an unusual method`, didYouMean(method, usualMethods))] : []),
    ...strange.map((word) => told(`no route names the scope \`${word}\``, didYouMean(word, named))),
  ];
}

/** One that a route names is meant. Methods have a case (RFC 9110 §9.1). */
function isOdd(method: string, routes: GatewayConfig['routes']): boolean {
  if (routes.some(({ match }) => match.methods?.includes(method))) return false;
  return unusual(method) || (!usualMethods.includes(method) && usualMethods.includes(method.toUpperCase()));
}

function wordsOf(scope: ScopeConfig): readonly string[] {
  if (typeof scope === 'string') return scopeTokens(scope);
  return ('any_of' in scope ? scope.any_of : scope.all_of).flatMap(scopeTokens);
}

function told(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}

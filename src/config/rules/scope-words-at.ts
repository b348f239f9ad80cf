import type { RouteFile, ScopeConfig } from '../schema/gateway.ts';
import type { Pointer } from '../words/problem.ts';
import { scopeWords } from '../words/scope-words.ts';

/** The scope-tokens of a requirement, each with its place in the file. `at`: the place of the requirement. */
export function scopeWordsAt(at: Pointer, scope: ScopeConfig): readonly { pointer: Pointer; word: string }[] {
  if (typeof scope === 'string') return scopeWords(scope).map((word) => ({ pointer: at, word }));
  const [key, texts] = 'any_of' in scope ? (['any_of', scope.any_of] as const) : (['all_of', scope.all_of] as const);
  return texts.flatMap((text, index) => scopeWords(text).map((word) => ({ pointer: [...at, key, index], word })));
}

/** Every requirement of a route: its own, and those of the rules for its operations. `at`: the place of the route. */
export function scopesAt(
  at: Pointer,
  { scope, mcp }: Pick<RouteFile, 'scope' | 'mcp'>,
): readonly { readonly pointer: Pointer; readonly scope: ScopeConfig }[] {
  const rules = Object.entries(mcp?.scope ?? {}).map(([key, rule]) => ({
    pointer: [...at, 'mcp', 'scope', key],
    scope: rule,
  }));
  return [...(scope === undefined ? [] : [{ pointer: [...at, 'scope'], scope }]), ...rules];
}

/** The scope-tokens of all of them, each with its place in the file. */
export function scopeWordsOf(at: Pointer, route: Pick<RouteFile, 'scope' | 'mcp'>) {
  return scopesAt(at, route).flatMap(({ pointer, scope }) => scopeWordsAt(pointer, scope));
}

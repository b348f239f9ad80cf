import type { ScopeConfig } from '../schema/gateway.ts';
import type { Pointer } from '../words/problem.ts';
import { scopeWords } from '../words/scope-words.ts';

/** The scope-tokens of a requirement, each with its place in the file. `at`: the place of the requirement. */
export function scopeWordsAt(at: Pointer, scope: ScopeConfig): readonly { pointer: Pointer; word: string }[] {
  if (typeof scope === 'string') return scopeWords(scope).map((word) => ({ pointer: at, word }));
  const [key, texts] = 'any_of' in scope ? (['any_of', scope.any_of] as const) : (['all_of', scope.all_of] as const);
  return texts.flatMap((text, index) => scopeWords(text).map((word) => ({ pointer: [...at, key, index], word })));
}

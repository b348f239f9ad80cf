import type { ScopeRequirement } from './scope-requirement.ts';

/** The requirement that both are met. Undefined: nothing is required. */
export function bothScopes(
  one: ScopeRequirement | undefined,
  other: ScopeRequirement | undefined,
): ScopeRequirement | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.flatMap((mine) => other.map((theirs) => [...new Set([...mine, ...theirs])]));
}

import type { ScopeRequirement } from './scope-requirement.ts';

/** The requirement that both are met. Undefined: nothing is required. */
export function bothScopes(
  one: ScopeRequirement | undefined,
  other: ScopeRequirement | undefined,
): ScopeRequirement | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    alternatives: one.alternatives.flatMap((mine) =>
      other.alternatives.map((theirs) => [...new Set([...mine, ...theirs])]),
    ),
    impliers: bothImpliers(one.impliers, other.impliers),
  };
}

type Impliers = ScopeRequirement['impliers'];

function bothImpliers(one: Impliers, other: Impliers): Impliers {
  return one === undefined || other === undefined ? (one ?? other) : new Map([...one, ...other]);
}

import type { ScopeRequirement } from '../../message/scope-requirement.ts';

/** Sets of scopes, each sufficient alone. A scope that implies a required one can stand in its place. */
export function sufficientScopes(requirement: ScopeRequirement | undefined): readonly (readonly string[])[] {
  if (requirement === undefined) return [[]];
  const { alternatives, impliers } = requirement;
  return alternatives.flatMap((scopes) =>
    scopes.reduce<readonly (readonly string[])[]>(
      (chosen, scope) =>
        [scope, ...(impliers?.get(scope) ?? [])].flatMap((each) => chosen.map((others) => [...others, each])),
      [[]],
    ),
  );
}

/** `scopes` of gateway.yaml. */
export type ScopeRules = Readonly<Record<string, { readonly implies: readonly string[] }>>;

/** The other scopes that imply a scope, directly or through others. The direct ones come first. */
export type Impliers = (scope: string) => readonly string[];

const NONE: readonly string[] = [];

/** Entries of `scopes`. `check` rejects more, because the answers for a long chain would take minutes. */
export const MOST_RULES = 1_000;

/** Remembers each answer. A cycle, which `check` rejects, ends at its start. */
export function impliersIn(rules: ScopeRules | undefined): Impliers {
  if (rules === undefined || Object.keys(rules).length > MOST_RULES) return () => NONE;
  const direct = directImpliers(rules);
  const known = new Map<string, readonly string[]>();
  return (scope) => {
    const found = known.get(scope) ?? reached(direct, scope);
    known.set(scope, found);
    return found;
  };
}

function directImpliers(rules: ScopeRules): ReadonlyMap<string, readonly string[]> {
  const direct = new Map<string, string[]>();
  for (const [stronger, { implies }] of Object.entries(rules)) {
    for (const scope of implies) {
      const others = direct.get(scope);
      if (others === undefined) direct.set(scope, [stronger]);
      else others.push(stronger);
    }
  }
  return direct;
}

function reached(direct: ReadonlyMap<string, readonly string[]>, scope: string): readonly string[] {
  const found = new Set([scope]);
  for (const each of found) for (const stronger of direct.get(each) ?? NONE) found.add(stronger);
  found.delete(scope);
  return found.size === 0 ? NONE : [...found];
}

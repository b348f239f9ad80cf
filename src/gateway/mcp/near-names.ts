/**
 * Whether an object contains a name that some readers treat as one of `ours`. Go's encoding/json and .NET ignore case,
 * and Go also folds `ſ` to `s` and the Kelvin sign to `k`. Such a reader could use a member that the gateway did not
 * judge.
 */
export function nearName(object: object, ours: ReadonlySet<string>): string | undefined {
  for (const name of Object.keys(object)) {
    if (!ours.has(name) && foldedOf(ours).has(foldName(name))) return name;
  }
  return undefined;
}

/** The upper case first: it maps `ſ` to `S`, and the lower case maps the Kelvin sign to `k`. */
function foldName(name: string): string {
  return name.toUpperCase().toLowerCase();
}

const known = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

function foldedOf(names: ReadonlySet<string>): ReadonlySet<string> {
  const before = known.get(names);
  if (before !== undefined) return before;
  const folded = new Set([...names].map(foldName));
  known.set(names, folded);
  return folded;
}

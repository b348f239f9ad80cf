/**
 * The name of an object that some readers treat as one of `ours`. Go's encoding/json, .NET and Jackson can
 * ignore case. Go also folds `ſ` to `s` and the Kelvin sign to `k`, and Java folds `İ` and `ı` to `i`. Such a reader could
 * use a member that the gateway did not judge. A JavaScript program that copies `__proto__` finds its members too.
 */
export function nearName(names: readonly string[], ours: ReadonlySet<string>): string | undefined {
  for (const name of names) {
    if (!ours.has(name) && (name === '__proto__' || foldedOf(ours).has(foldName(name)))) return name;
  }
  return undefined;
}

/** Whether a text is one of `ours` for a reader that ignores case or blanks around a text. */
export function isNearText(text: string, ours: ReadonlySet<string>): boolean {
  return !ours.has(text) && foldedOf(ours).has(foldName(text.trim()));
}

/** The upper case first: it maps `ſ` to `S` and `ı` to `I`. The lower case of `İ` is `i` and a dot above it. */
function foldName(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

const known = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

function foldedOf(names: ReadonlySet<string>): ReadonlySet<string> {
  const before = known.get(names);
  if (before !== undefined) return before;
  const folded = new Set([...names].map(foldName));
  known.set(names, folded);
  return folded;
}

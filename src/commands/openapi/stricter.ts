/** The requirements of a route. */
export interface RequiredAccess {
  /** Undefined: the scope decides. `closed`: no caller passes until the operator decides. */
  readonly access: 'public' | 'optional' | 'authenticated' | 'closed' | undefined;
  /** OR of AND; empty if `access` is the whole requirement. */
  readonly scope: readonly string[];
}

/** Words in all alternatives together. A longer list helps no reader, and the product of two lists could be of any size. */
const MOST_WORDS = 256;

const ranks = { public: 0, optional: 1, authenticated: 2, scope: 3, closed: 4 } as const;

/** A requirement that implies both. A caller that passes it also passes each of the two. */
export function stricter(one: RequiredAccess, other: RequiredAccess): RequiredAccess {
  const [mine, theirs] = [rankOf(one), rankOf(other)];
  if (mine !== theirs || mine !== ranks.scope) return mine < theirs ? other : one;
  return bothScopes(one, other);
}

export function isUnprotected(asked: RequiredAccess): boolean {
  return rankOf(asked) < ranks.authenticated;
}

export function isSame(one: RequiredAccess, other: RequiredAccess): boolean {
  return one.access === other.access && one.scope.join('\n') === other.scope.join('\n');
}

function rankOf({ access }: RequiredAccess): number {
  return ranks[access ?? 'scope'];
}

function bothScopes(one: RequiredAccess, other: RequiredAccess): RequiredAccess {
  const mine = smallest(one.scope);
  const theirs = smallest(other.scope);
  if (theirs.every((wanted) => mine.some((held) => held.isSubsetOf(wanted)))) return other;
  if (mine.every((wanted) => theirs.some((held) => held.isSubsetOf(wanted)))) return one;
  if (wordsIn(mine) * wordsIn(theirs) > MOST_WORDS) return { access: 'closed', scope: [] };
  const both = mine.flatMap((left) => theirs.map((right) => [...left.union(right)].sort().join(' ')));
  return { access: undefined, scope: smallest(both).map((words) => [...words].join(' ')) };
}

type Words = ReadonlySet<string>;

/** Drops each alternative that includes another alternative. */
function smallest(scope: readonly string[]): readonly Words[] {
  const all = [...new Set(scope)].map((text) => new Set(text.split(' ')));
  return all.filter((words) => !all.some((other) => other !== words && other.isSubsetOf(words)));
}

function wordsIn(alternatives: readonly Words[]): number {
  return alternatives.reduce((sum, words) => sum + words.size, 0);
}

import type { ScopeRequirement } from '../message/scope-requirement.ts';
import { unique } from './path-samples.ts';

type ScopeSet = readonly string[];

/** Sets for one alternative. With more choices, the first ones are tried. */
const MOST = 100;

/**
 * The scopes of tokens to try at two routes: none, each single scope, each alternative in its own words, and all. Also
 * each way to meet an alternative with scopes that imply others. More scope never takes access away. So if two routes
 * differ at all, they differ for one of these sets, unless an alternative has more than `MOST` ways.
 */
export function scopeSets(requirements: readonly ScopeRequirement[]): readonly ScopeSet[] {
  const alternatives = requirements.flatMap((requirement) => requirement.alternatives);
  const all = [...new Set(requirements.flatMap(scopesOf))];
  const ways = requirements.flatMap((requirement) => enoughFor(requirement, classesAmong(requirements)));
  return unique([[], ...all.map((scope) => [scope]), ...alternatives, ...ways, all], (set) => set.toSorted().join(' '));
}

/** The smallest sets that meet a requirement. Scopes that are worth the same at both routes have one representative. */
export function smallestSets(requirement: ScopeRequirement, next: ScopeRequirement | undefined): readonly ScopeSet[] {
  const classes = classesAmong(next === undefined ? [requirement] : [requirement, next]);
  return unique([...requirement.alternatives, ...enoughFor(requirement, classes)], (set) => set.toSorted().join(' '));
}

/** The scopes of a requirement, and those that imply them. */
function scopesOf(requirement: ScopeRequirement): readonly string[] {
  return requirement.alternatives.flat().flatMap((scope) => coverers(requirement, scope));
}

function coverers({ impliers }: ScopeRequirement, scope: string): ScopeSet {
  return [scope, ...(impliers?.get(scope) ?? [])];
}

/** A scope → the first scope that is worth the same to all of these requirements. */
type Classes = ReadonlyMap<string, string>;

function classesAmong(requirements: readonly ScopeRequirement[]): Classes {
  const worth = new Map<string, string>();
  for (const [index, requirement] of requirements.entries()) {
    for (const scope of new Set(requirement.alternatives.flat()))
      for (const each of coverers(requirement, scope)) worth.set(each, `${worth.get(each) ?? ''} ${index}:${scope}`);
  }
  const first = new Map<string, string>();
  for (const [scope, words] of worth) if (!first.has(words)) first.set(words, scope);
  return new Map([...worth].map(([scope, words]) => [scope, first.get(words) ?? scope]));
}

function enoughFor(requirement: ScopeRequirement, classes: Classes): readonly ScopeSet[] {
  if (requirement.impliers === undefined) return [];
  return requirement.alternatives.flatMap((alternative) => {
    const choices = alternative.map((scope) => [
      ...new Set(coverers(requirement, scope).map((each) => classes.get(each) ?? each)),
    ]);
    return choices.reduce<readonly ScopeSet[]>(
      (sets, choice) => sets.flatMap((set) => choice.map((scope) => [...new Set([...set, scope])])).slice(0, MOST),
      [[]],
    );
  });
}

import type { ScopeConfig } from '../../config/schema/gateway.ts';
import type { Impliers } from '../../config/words/implied-scopes.ts';

/** The scope that a route requires. */
export interface ScopeRequirement {
  /** Each a list of scopes that are all required (OR of AND, as in OpenAPI). */
  readonly alternatives: readonly (readonly string[])[];
  /** A required scope → the other scopes that imply it. Undefined: the file has no rule about these scopes. */
  readonly impliers: ReadonlyMap<string, readonly string[]> | undefined;
}

export function scopeRequirement(config: ScopeConfig, impliersOf?: Impliers): ScopeRequirement {
  const alternatives = alternativesOf(config);
  return { alternatives, impliers: impliersOf && impliersAmong(alternatives.flat(), impliersOf) };
}

function alternativesOf(config: ScopeConfig): ScopeRequirement['alternatives'] {
  if (typeof config === 'string') return [scopes(config)];
  if ('any_of' in config) return config.any_of.map(scopes);
  return [[...new Set(config.all_of.flatMap(scopes))]];
}

/** RFC 6749 §3.3: case-sensitive, delimited by spaces, in any order. */
function scopes(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))];
}

function impliersAmong(required: readonly string[], impliersOf: Impliers): ScopeRequirement['impliers'] {
  const entries = required.map((scope) => [scope, impliersOf(scope)] as const);
  const found = new Map(entries.filter(([, impliers]) => impliers.length > 0));
  return found.size === 0 ? undefined : found;
}

type Held = ReadonlySet<string>;

export function satisfies(requirement: ScopeRequirement, held: Held): boolean {
  for (const alternative of requirement.alternatives) {
    if (countMissing(requirement, alternative, held) === 0) return true;
  }
  return false;
}

/**
 * The scopes that a challenge names: the alternative with the fewest missing scopes, including those that the token
 * already has. A client that requests exactly these gets a sufficient token (RFC 6750 §3).
 */
export function nearest(requirement: ScopeRequirement, held: Held): readonly string[] {
  const { alternatives } = requirement;
  let best: readonly string[] = alternatives[0] ?? [];
  for (const alternative of alternatives) {
    if (countMissing(requirement, alternative, held) < countMissing(requirement, best, held)) best = alternative;
  }
  return best;
}

/** The scopes of the nearest alternative that the token neither has nor implies. */
export function missingScopes(requirement: ScopeRequirement, held: Held): readonly string[] {
  return nearest(requirement, held).filter((scope) => !covers(requirement, scope, held));
}

/** Each alternative as one text. */
export function alternativeTexts({ alternatives }: ScopeRequirement): readonly string[] {
  return alternatives.map((alternative) => alternative.join(' '));
}

function countMissing(requirement: ScopeRequirement, alternative: readonly string[], held: Held): number {
  let count = 0;
  for (const scope of alternative) if (!covers(requirement, scope, held)) count++;
  return count;
}

/** Whether a token with these scopes has the required one. Each request asks this, so it allocates nothing. */
function covers({ impliers }: ScopeRequirement, scope: string, held: Held): boolean {
  if (held.has(scope)) return true;
  const stronger = impliers?.get(scope);
  if (stronger === undefined) return false;
  for (const each of stronger) if (held.has(each)) return true;
  return false;
}

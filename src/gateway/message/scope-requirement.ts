import type { ScopeConfig } from '../../config/schema/gateway.ts';

/**
 * The scope that a route requires: alternatives, each a list of scopes that are all required (OR of AND, as in
 * OpenAPI).
 */
export type ScopeRequirement = readonly (readonly string[])[];

export function scopeRequirement(config: ScopeConfig): ScopeRequirement {
  if (typeof config === 'string') return [scopes(config)];
  if ('any_of' in config) return config.any_of.map(scopes);
  return [[...new Set(config.all_of.flatMap(scopes))]];
}

/** RFC 6749 §3.3: case-sensitive, delimited by spaces, in any order. */
function scopes(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))];
}

export function satisfies(requirement: ScopeRequirement, held: ReadonlySet<string>): boolean {
  for (const alternative of requirement) {
    if (missing(alternative, held) === 0) return true;
  }
  return false;
}

/**
 * The scopes that a challenge names: the alternative with the fewest missing scopes, including those that the token
 * already has. A client that requests exactly these gets a sufficient token (RFC 6750 §3).
 */
export function nearest(requirement: ScopeRequirement, held: ReadonlySet<string>): readonly string[] {
  let best: readonly string[] = requirement[0] ?? [];
  for (const alternative of requirement) {
    if (missing(alternative, held) < missing(best, held)) best = alternative;
  }
  return best;
}

function missing(alternative: readonly string[], held: ReadonlySet<string>): number {
  let count = 0;
  for (const scope of alternative) if (!held.has(scope)) count++;
  return count;
}

import type { PlannedRoute } from './plan.ts';

type Identity = PlannedRoute['identity'];

/** Identity headers, in lower case and sorted. A name is listed only if no prefix includes it. */
export interface IdentityNames {
  readonly prefixes: readonly string[];
  readonly names: readonly string[];
}

/** The headers by which an API learns who calls. A client must not be able to send them. */
export function identityNames(identities: readonly Identity[]): IdentityNames {
  const prefixes = new Set(identities.map(({ prefix }) => prefix.toLowerCase()));
  const all = new Set(identities.flatMap(({ set }) => Object.keys(set).map((name) => name.toLowerCase())));
  const names = [...all].filter((name) => ![...prefixes].some((prefix) => name.startsWith(prefix)));
  return { prefixes: [...prefixes].sort(), names: names.sort() };
}

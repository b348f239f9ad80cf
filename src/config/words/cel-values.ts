/** JSON objects come no deeper than a token may nest them; what is deeper is left as it is, and an error there is false. */
const DEPTH = 64;

/**
 * A value as the CEL library may have it. It tells a map from other objects by `constructor`, which in an object of names
 * that a client or a token gave may be one of these names: then every look at it would be an error. Such an object, and
 * each one that holds it, becomes a Map. Where there is none, and that is nearly always, nothing is copied.
 */
export function celValue(value: unknown): unknown {
  return isNamedOddly(value, DEPTH) ? asMaps(value, DEPTH) : value;
}

function isNamedOddly(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value)) return value.some((each) => isNamedOddly(each, depth - 1));
  if (Object.hasOwn(value, 'constructor')) return true;
  return Object.values(value).some((each) => isNamedOddly(each, depth - 1));
}

function asMaps(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((each) => asMaps(each, depth - 1));
  return new Map(Object.entries(value).map(([name, each]) => [name, asMaps(each, depth - 1)]));
}

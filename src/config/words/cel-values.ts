/**
 * JSON objects are converted only as deep as a token may nest them. Deeper ones stay unchanged, and an error there is false.
 */
const DEPTH = 64;

/**
 * A value as the CEL library needs it. The library recognizes a map by `constructor`. An object of names from a client or a
 * token may contain that name, and then every access would be an error. Such an object, and each one that contains it,
 * becomes a Map. Without one, which is nearly always, nothing is copied.
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

/**
 * JSON objects are converted only to the depth that a token may have. Deeper objects stay unchanged, and an error there counts
 * as false.
 */
const DEPTH = 64;

/**
 * Converts a value for the CEL library. The library recognizes a map by `constructor`. An object with names from a client or a
 * token may contain this name, and then every access would be an error. Such an object, and each object that contains it,
 * becomes a Map. Other values are not copied.
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

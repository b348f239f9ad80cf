/** The value of a key that an object has itself: a name that an author chose may be one that every object knows. */
export function ownValue(from: object, key: string): unknown {
  return Object.hasOwn(from, key) ? (from as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** The value of a key of the object itself. A name that an author chose may equal an inherited name. */
export function ownValue(from: object, key: string): unknown {
  return Object.hasOwn(from, key) ? (from as Readonly<Record<string, unknown>>)[key] : undefined;
}

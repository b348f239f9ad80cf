import type { Unit } from '../words/schema.ts';

/** The subset of JSON Schema that the two configuration schemas use. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly unit?: Unit;
  /** The author chooses the keys of the map. */
  readonly keys?: 'names';
}

/** The schema of the file: the program's schema, in which properties with a default are optional. */
export function inputSchema(schema: Schema): Schema {
  return changeEach(schema, withoutDefaulted);
}

/** Changes each schema inside a schema, from the innermost to the outermost. */
export function changeEach(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const { properties, additionalProperties, items, anyOf } = schema;
  const changed = (below: Schema) => changeEach(below, change);
  return change({
    ...schema,
    ...(properties && { properties: mapValues(properties, changed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: changed(additionalProperties) }),
    ...(items && { items: changed(items) }),
    ...(anyOf && { anyOf: anyOf.map(changed) }),
  });
}

function withoutDefaulted(schema: Schema): Schema {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(required && { required: required.filter((key) => properties?.[key]?.default === undefined) }),
  };
}

/** The schema of a direct child. */
export function below(schema: Schema | undefined, part: string | number): Schema | undefined {
  if (schema === undefined) return undefined;
  if (typeof part === 'number') return schema.items;
  if (schema.anyOf !== undefined) return schema.anyOf.map((branch) => below(branch, part)).find((found) => found);
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, part)) return schema.properties[part];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** The alternative of a union that a value probably matches: by its type, then by its keys. */
export function branchFor(schema: Schema, value: unknown): Schema | undefined {
  const ofType = (schema.anyOf ?? []).filter((branch) => branch.type === typeOf(value));
  if (ofType.length <= 1) return ofType[0];
  const keys = Object.keys(value as object);
  const fitting = ofType.filter((branch) => keys.some((key) => Object.hasOwn(branch.properties ?? {}, key)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

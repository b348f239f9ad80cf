/** What values.yaml may contain. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** JSON Schema, draft 7. */
export type JsonSchema = { readonly [key: string]: Json };

/** A key of values.yaml that is set as one unit. */
export interface Value {
  readonly kind: 'value';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly otherwise: Json;
}

/** A key of values.yaml that contains keys of ours. */
export interface Section {
  readonly kind: 'section';
  readonly description: string;
  readonly keys: Keys;
}

export type Keys = { readonly [key: string]: Value | Section };

export function section(description: string, keys: Keys): Section {
  return { kind: 'section', description, keys };
}

export function value(description: string, schema: JsonSchema, otherwise: Json): Value {
  return { kind: 'value', description, schema, otherwise };
}

export function text(description: string, otherwise = ''): Value {
  return value(description, { type: 'string' }, otherwise);
}

export function flag(description: string, otherwise: boolean): Value {
  return value(description, { type: 'boolean' }, otherwise);
}

export function integer(description: string, otherwise: number | null, minimum = 0): Value {
  return value(description, { type: otherwise === null ? ['integer', 'null'] : 'integer', minimum }, otherwise);
}

export function port(description: string, otherwise: number): Value {
  return value(description, { type: 'integer', minimum: 1, maximum: 65535 }, otherwise);
}

export function choice(description: string, words: readonly string[], otherwise: string): Value {
  return value(description, { type: 'string', enum: words }, otherwise);
}

/** Labels, annotations and similar maps. */
export function texts(description: string, otherwise: Json = {}): Value {
  return value(description, textMap, otherwise);
}

export function list(description: string, items: JsonSchema, otherwise: readonly Json[] = []): Value {
  return value(description, { type: 'array', items }, otherwise);
}

export const textMap: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

/** A map that allows only these keys. */
export function closed(
  properties: { readonly [key: string]: JsonSchema },
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, ...(required.length > 0 && { required }) };
}

/** A value that goes to Kubernetes unchanged. Kubernetes validates the rest of it. */
export function handedOn(required: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    description: 'The chart passes this value to Kubernetes unchanged.',
    ...(required.length > 0 && { required }),
  };
}

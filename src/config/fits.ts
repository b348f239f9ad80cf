import type { Schema } from './input-schema.ts';
import type { Unit } from './schema.ts';
import { convert } from './units.ts';

/**
 * Whether a value is as a schema says. What is wrong with one that is not, ajv tells: its compiled judge costs a gateway
 * a hundred milliseconds and a fifth of its memory, and a file without mistakes has no need of it.
 */
export function fits(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, wanted]) => ruleOf(keyword)(wanted as never, value, schema));
}

type Rule = (wanted: never, value: unknown, schema: Schema) => boolean;
type Members = Readonly<Record<string, unknown>>;

/** One row a keyword, which says nothing of values of another type (JSON Schema Validation §6). */
const rules: Readonly<Record<string, Rule>> = {
  type: (name: keyof typeof types, value) => types[name](value),
  const: (wanted: unknown, value) => value === wanted,
  enum: (words: readonly unknown[], value) => words.includes(value),
  anyOf: (branches: readonly Schema[], value) => branches.some((branch) => fits(branch, value)),
  minLength: (least: number, value) => typeof value !== 'string' || [...value].length >= least,
  pattern: (source: string, value) => typeof value !== 'string' || new RegExp(source, 'u').test(value),
  unit: (unit: Unit, value) => typeof value !== 'string' || convert(unit, value) !== undefined,
  minimum: (least: number, value) => typeof value !== 'number' || value >= least,
  maximum: (most: number, value) => typeof value !== 'number' || value <= most,
  minItems: (least: number, value) => !Array.isArray(value) || value.length >= least,
  items: (item: Schema, value) => !Array.isArray(value) || value.every((each) => fits(item, each)),
  required: (keys: readonly string[], value) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (known: Readonly<Record<string, Schema>>, value) =>
    !isObject(value) ||
    Object.entries(known).every(([key, schema]) => !Object.hasOwn(value, key) || fits(schema, value[key])),
  additionalProperties: (other: boolean | Schema, value, { properties = {} }) =>
    !isObject(value) ||
    Object.keys(value).every((key) => Object.hasOwn(properties, key) || isAdditional(other, value[key])),
  // These say nothing of a value.
  default: () => true,
  description: () => true,
  keys: () => true,
};

const types = {
  string: (value: unknown) => typeof value === 'string',
  boolean: (value: unknown) => typeof value === 'boolean',
  number: (value: unknown) => Number.isFinite(value),
  integer: (value: unknown) => Number.isInteger(value),
  array: (value: unknown) => Array.isArray(value),
  object: isObject,
};

function ruleOf(keyword: string): Rule {
  const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
  if (rule === undefined) throw new TypeError(`nothing judges by the keyword ${keyword}`);
  return rule;
}

function isAdditional(other: boolean | Schema, value: unknown): boolean {
  return typeof other === 'boolean' ? other : fits(other, value);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

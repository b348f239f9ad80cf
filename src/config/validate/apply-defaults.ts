import { branchFor, type Schema } from '../schema/input-schema.ts';
import { convert } from '../schema/units.ts';
import { ownValue } from '../words/own-value.ts';

/**
 * The form that the program receives: defaults filled in at every depth, durations as milliseconds, sizes as bytes, addresses
 * as parts, all frozen. Maps with names of the user's choice have no prototype.
 */
export function applyDefaults(schema: Schema, value: unknown): unknown {
  const given = value === undefined ? schema.default : value;
  if (given === undefined) return undefined;
  if (schema.anyOf !== undefined) return applyDefaults(branchFor(schema, given) ?? {}, given);
  if (schema.unit !== undefined && typeof given === 'string') return Object.freeze(convert(schema.unit, given));
  if (Array.isArray(given)) return Object.freeze(given.map((item) => applyDefaults(schema.items ?? {}, item)));
  if (isAnything(schema)) return given;
  return typeof given === 'object' && given !== null ? Object.freeze(settleObject(schema, given)) : given;
}

function isAnything({ type, properties, additionalProperties }: Schema): boolean {
  return type === undefined && properties === undefined && additionalProperties === undefined;
}

function settleObject(schema: Schema, given: object): object {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([key, of]) => [key, applyDefaults(of, ownValue(given, key))] as const,
  );
  const { additionalProperties } = schema;
  const names = typeof additionalProperties === 'object' ? Object.keys(given).filter((key) => key !== '__proto__') : [];
  const named = names.map((key) => [key, applyDefaults(additionalProperties as Schema, ownValue(given, key))] as const);
  const target: Record<string, unknown> = schema.properties === undefined ? Object.create(null) : {};
  for (const [key, settled] of [...properties, ...named]) if (settled !== undefined) target[key] = settled;
  return target;
}

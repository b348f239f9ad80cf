import { below, type Schema } from '../schema/input-schema.ts';
import type { Plain, Tree } from './tree.ts';

/**
 * A scalar that is only one variable takes the schema's type: `${PORT}` an integer, `${SHARE}` a number, `${DEBUG}` a
 * boolean.
 */
export function typeBySchema(tree: Tree, schema: Schema | undefined): Tree {
  if (tree.kind === 'scalar') return tree.untyped ? { ...tree, value: typed(tree.value, schema) } : tree;
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => typeBySchema(item, schema?.items)) };
  const entries = [...tree.entries].map(
    ([key, entry]) => [key, { ...entry, value: typeBySchema(entry.value, below(schema, key)) }] as const,
  );
  return { ...tree, entries: new Map(entries) };
}

function typed(value: Plain, schema: Schema | undefined): Plain {
  if (takesInteger(schema) && /^-?[0-9]{1,15}$/.test(String(value))) return Number(value);
  if (schema?.type === 'number' && /^[0-9]{1,15}(\.[0-9]{1,15})?$/.test(String(value))) return Number(value);
  if (schema?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function takesInteger(schema: Schema | undefined): boolean {
  return schema?.type === 'integer' || schema?.anyOf?.some(({ type }) => type === 'integer') === true;
}

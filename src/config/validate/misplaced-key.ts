import type { Schema } from '../schema/input-schema.ts';

/** A map of the file. */
interface MapInFile {
  readonly schema: Schema;
  /** The place of the schema in the schema of the file: `#/properties/routes/items`. */
  readonly schemaPath: string;
  readonly value: unknown;
}

/** More places than this are no help. */
const MOST_PLACES = 3;

/**
 * Where the author probably wanted to write a key that its map does not have: in a map of this map, or beside one of the maps
 * around it. A wrong indentation is a usual cause. Undefined: no such map has the key.
 * @param root the schema of the file
 */
export function placeOfKey(key: string, map: MapInFile, root: Schema): string | undefined {
  const inside = Object.entries(map.schema.properties ?? {}).filter(([, schema]) => has(schema, key));
  if (inside.length > 0 && inside.length <= MOST_PLACES)
    return writeIn(
      inside.map(([name]) => name),
      map.value,
    );
  const around = wayTo(map.schemaPath, root).findLast(({ schema }) => has(schema, key));
  return around && `write it beside \`${around.to}\`, not in it`;
}

/** An empty value shows that the author wrote the keys below it with too few spaces. */
function writeIn(names: readonly string[], map: unknown): string {
  const empty = names.find((name) => (map as Readonly<Record<string, unknown>>)[name] === null);
  if (empty !== undefined) return `write more spaces before it than before \`${empty}\``;
  return `write it in ${names.map((name) => `\`${name}\``).join(' or ')}`;
}

/** Whether a map with this schema, or with an alternative of it, has the key. */
function has({ properties, anyOf }: Schema, key: string): boolean {
  if (properties !== undefined) return Object.hasOwn(properties, key);
  return anyOf?.some((branch) => has(branch, key)) ?? false;
}

interface Step {
  readonly schema: Schema;
  /** The key that leads to the next step. */
  readonly to: string;
}

/** The maps around the schema at this path, from the whole file on. */
function wayTo(schemaPath: string, root: Schema): readonly Step[] {
  const way: Step[] = [];
  let schema = root;
  const parts = schemaPath.split('/').slice(1).values();
  for (const part of parts) {
    // These two keywords have several schemas, each with a name or a number.
    const which = part === 'properties' || part === 'anyOf' ? parts.next().value : undefined;
    if (which !== undefined && part === 'properties') way.push({ schema, to: which });
    schema = within(schema, which === undefined ? [part] : [part, which]);
  }
  return way;
}

function within(schema: Schema, path: readonly string[]): Schema {
  return path.reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>>)[part], schema) as Schema;
}

import { below, type Schema } from '../schema/input-schema.ts';
import type { Pointer } from '../words/problem.ts';

/** A map of the file. */
interface MapInFile {
  readonly schema: Schema;
  readonly pointer: Pointer;
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
  const { properties = {} } = map.schema;
  const inside = Object.keys(properties).filter((name) => has(properties[name], key));
  if (inside.length > 0 && inside.length <= MOST_PLACES) return writeIn(inside, map.value);
  const around = wayTo(map.pointer, root).findLast(({ schema }) => has(schema, key));
  return around && `write it beside \`${around.to}\`, not in it`;
}

/** An empty value shows that the author wrote the keys below it with too few spaces. */
function writeIn(names: readonly string[], map: unknown): string {
  const empty = names.find((name) => (map as Readonly<Record<string, unknown>>)[name] === null);
  if (empty !== undefined) return `write more spaces before it than before \`${empty}\``;
  return `write it in ${names.map((name) => `\`${name}\``).join(' or ')}`;
}

/** Whether a map with this schema, or with an alternative of it, has the key. A name that the author chooses does not count. */
function has({ properties, anyOf }: Schema = {}, key: string): boolean {
  if (properties !== undefined) return Object.hasOwn(properties, key);
  return anyOf?.some((branch) => has(branch, key)) ?? false;
}

interface Step {
  readonly schema: Schema | undefined;
  /** The key, or the index in a list, that leads to the next step. */
  readonly to: string | number;
}

/** The values around this place, from the whole file on. */
function wayTo(pointer: Pointer, root: Schema): readonly Step[] {
  let schema: Schema | undefined = root;
  return pointer.map((to) => {
    const step = { schema, to };
    schema = below(schema, to);
    return step;
  });
}

import { isObject, type JsonObject } from '../../jwt/json.ts';
import { own } from './members.ts';
import { nearName } from './near-names.ts';

/** A tool's argument that a header repeats. */
export interface ToolParam {
  /** The whole header name, in lower case. */
  readonly header: string;
  /** The names that lead from the arguments to the value, each in a set of its own. */
  readonly path: readonly ReadonlySet<string>[];
}

/** A longer name is not worth the memory. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Annotated arguments of one tool. A schema with more is not worth the memory. */
const MOST = 64;
const DEEPEST = 16;

/**
 * The annotated arguments of a tool's schema. Only a chain of `properties` leads to an annotated argument (Streamable
 * HTTP, schema extension), so an annotation anywhere else does not count.
 */
export function toolParams(schema: unknown): readonly ToolParam[] {
  const found: ToolParam[] = [];
  collect(schema, [], found);
  return found;
}

function collect(schema: unknown, path: ToolParam['path'], found: ToolParam[]): void {
  const properties = isObject(schema) ? own(schema, 'properties') : undefined;
  if (!isObject(properties) || path.length > DEEPEST) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property) || found.length >= MOST) continue;
    const header = own(property, 'x-mcp-header');
    const at = [...path, new Set([name])];
    if (typeof header === 'string' && TOKEN.test(header))
      found.push({ header: `mcp-param-${header.toLowerCase()}`, path: at });
    collect(property, at, found);
  }
}

/** A value that a header can repeat. */
export function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Some readers find the value under another name. */
export const UNCLEAR = Symbol('unclear');

/** The value in a call. Undefined: there is none. */
export function argumentAt(args: JsonObject, path: ToolParam['path']): unknown {
  let value: unknown = args;
  for (const names of path) {
    if (!isObject(value)) return undefined;
    if (nearName(Object.keys(value), names) !== undefined) return UNCLEAR;
    const [name] = names;
    value = own(value, name as string);
  }
  return value;
}

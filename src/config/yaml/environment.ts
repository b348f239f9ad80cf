import { below, type Schema } from '../schema/input-schema.ts';
import { convert } from '../schema/units.ts';
import { closest, didYouMean } from '../words/closest.ts';
import type { Position } from '../words/problem.ts';
import { isOfService, type ServiceLink, serviceLinks } from '../words/service-links.ts';
import { ownerOf } from './detect.ts';
import type { Sources } from './interpolate.ts';
import { fromFile } from './interpolate.ts';
import { type Fault, parseYaml } from './parse.ts';
import type { MapTree, Tree } from './tree.ts';

const prefix = 'GATEHOUSE__';

/**
 * Applies variables such as `GATEHOUSE__UPSTREAMS__ORDERS__URL` to the values of the file. Two underscores separate the levels.
 * Names ignore case, and have `_` for `-`. `__FILE` at the end names a file with the value. Names with a single underscore are
 * ignored: Kubernetes sets `GATEHOUSE_PORT` for a Service of this name. Its variables for a name that begins with `gatehouse--`
 * are reported and ignored.
 */
export function applyEnvironment(tree: Tree, schema: Schema, sources: Sources): readonly Fault[] {
  const links = serviceLinks(sources.env, prefix);
  const faults: Fault[] = links.map(ignored);
  for (const name of Object.keys(sources.env).sort()) {
    const value = sources.env[name];
    if (!name.startsWith(prefix) || value === undefined || links.some((link) => isOfService(name, link))) continue;
    const fault = applyOne(tree, schema, { name, value, sources });
    if (fault !== undefined) faults.push({ at: placeOfVariable(name), ...fault });
  }
  return faults;
}

/** A new Service must not stop the pods in its namespace. */
function ignored({ prefix: begins, service }: ServiceLink): Fault {
  return {
    at: placeOfVariable(`${begins}_SERVICE_HOST`),
    severity: 'warning',
    message: `this variable and the other variables that Kubernetes sets for the Service ${service} are not settings, and are ignored`,
    hint: 'set `enableServiceLinks: false` in the pod, or give the Service another name',
  };
}

interface Override {
  readonly name: string;
  readonly value: string;
  readonly sources: Sources;
}
type Wrong = { readonly message: string; readonly hint?: string | undefined } | undefined;

function applyOne(tree: Tree, schema: Schema, { name, value, sources }: Override): Wrong {
  const levels = name.slice(prefix.length).split('__');
  const inFile = levels.length > 1 && levels.at(-1) === 'FILE';
  if (inFile) levels.pop();
  if (levels.some((level) => level === '' || level.toLowerCase() === '__proto__'))
    return { message: `the name of this variable has an empty part: \`__\` separates keys` };
  if (levels[0]?.toLowerCase() === 'routes') return { message: `routes can be set only in the file` };
  if (tree.kind !== 'map') return undefined;
  const spot = descend(tree, schema, levels, name);
  if ('message' in spot) return spot;
  const text = inFile ? fromFile(value, sources) : value;
  if (typeof text !== 'string') return { message: `${text.message}` };
  return put(spot, text, name);
}

interface Spot {
  readonly parent: MapTree;
  readonly key: string;
  readonly schema: Schema;
}

/** Follows the levels down, and makes maps that are missing in the file. */
function descend(
  tree: MapTree,
  schema: Schema,
  levels: readonly string[],
  name: string,
): Spot | { message: string; hint?: string | undefined } {
  let parent = tree;
  let of = schema;
  for (const [depth, level] of levels.entries()) {
    const key = keyFor(parent, of, level);
    const next = key === undefined ? undefined : below(of, key);
    if (key === undefined || next === undefined) return depth === 0 ? unknownAtTop(level, of) : unknown(level, of);
    if (depth === levels.length - 1) return { parent, key, schema: next };
    if (next.type !== 'object')
      return {
        message: `\`${key}\` has no keys`,
        hint: next.type === 'array' ? 'write the whole list as YAML text' : undefined,
      };
    parent = mapAt(parent, key, name);
    of = next;
  }
  return unknown('', of);
}

/** If both programs share one environment, each sees the variables of the other. */
function unknownAtTop(level: string, schema: Schema): { message: string; hint?: string | undefined } {
  const owner = ownerOf(level.toLowerCase());
  const { message, hint } = unknown(level, schema);
  if (owner === undefined) return { message, hint };
  return {
    message,
    hint: `this is a key of ${owner}.yaml: set this variable only for the program that reads ${owner}.yaml`,
  };
}

function unknown(level: string, schema: Schema): { message: string; hint?: string | undefined } {
  const known = Object.keys(schema.properties ?? {});
  const hint = closest(level, known) === undefined ? undefined : didYouMean(level.toLowerCase(), known);
  return { message: `there is no key \`${level.toLowerCase()}\``, hint };
}

function keyFor(map: MapTree, schema: Schema, level: string): string | undefined {
  const wanted = level.toLowerCase();
  const same = (key: string) => key.toLowerCase().replaceAll('-', '_') === wanted;
  const known = [...map.entries.keys(), ...Object.keys(schema.properties ?? {})].find(same);
  return known ?? (typeof schema.additionalProperties === 'object' ? wanted : undefined);
}

function mapAt(parent: MapTree, key: string, name: string): MapTree {
  const existing = parent.entries.get(key)?.value;
  if (existing?.kind === 'map') return existing;
  const made: MapTree = { kind: 'map', entries: new Map(), at: placeOfVariable(name) };
  parent.entries.set(key, { key: made.at, value: made });
  return made;
}

/** A list, map or alternative is YAML text. Any other value is text, which the schema converts. */
function put({ parent, key, schema }: Spot, text: string, name: string): Wrong {
  const at = placeOfVariable(name);
  const structured = schema.type === 'array' || schema.type === 'object' || isAlternative(schema, text);
  const parsed = structured ? parseYaml({ file: name, text, origin: name }) : undefined;
  if (parsed !== undefined && (parsed.tree === undefined || parsed.faults.length > 0)) {
    return { message: `${parsed.faults[0]?.message ?? 'not valid YAML'}` };
  }
  const value: Tree =
    parsed?.tree === undefined
      ? { kind: 'scalar', value: text, at, origin: name, untyped: true }
      : moved(parsed.tree, at);
  parent.entries.set(key, { key: at, value });
  return undefined;
}

/** `[::1]:8080` would be a YAML list, but counts as an address. */
function isAlternative({ anyOf }: Schema, text: string): boolean {
  if (anyOf === undefined) return false;
  return !anyOf.some(({ unit }) => unit !== undefined && convert(unit, text) !== undefined);
}

function moved(tree: Tree, at: Position): Tree {
  if (tree.kind === 'scalar') return { ...tree, at };
  if (tree.kind === 'list') return { ...tree, at, items: tree.items.map((item) => moved(item, at)) };
  const entries = [...tree.entries].map(([key, entry]) => [key, { key: at, value: moved(entry.value, at) }] as const);
  return { ...tree, at, entries: new Map(entries) };
}

function placeOfVariable(name: string): Position {
  return { file: name, line: 0, column: 0 };
}

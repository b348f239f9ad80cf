import { below, type Schema } from '../schema/input-schema.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { formsFor } from './placeholder-forms.ts';
import { child, find, plain, type ScalarTree, type Tree } from './tree.ts';

/** Returns the faults of values. */
type Judge = (tree: Tree) => readonly Finding[];

/** Each round reads the whole file. */
const MOST_ROUNDS = 24;
const MOST_TRIES = 64;

/** Names from a map in the file, for a variable that may be any of them. */
const MOST_NAMES = 3;

/** The place of a placeholder → the number of its form. */
type Forms = ReadonlyMap<string, number>;

interface Fitting {
  readonly tree: Tree;
  readonly schema: Schema;
  readonly names: readonly string[];
  readonly judge: Judge;
}

/**
 * Gives every placeholder the first form that is valid at its place, such as a number or a URL. A placeholder without a valid
 * form stays unchanged.
 */
export function fitPlaceholders(tree: Tree, schema: Schema, judge: Judge): Tree {
  const fitting = { tree, schema, names: namesIn(tree), judge };
  return formed(fitting, fitElsewhere(fitting, fitInPlace(fitting)));
}

/** True if a placeholder's value causes the fault. A fault of its key does not count. */
export function isAtPlaceholder(finding: Finding, tree: Tree): boolean {
  return placeholderAt(finding, tree) !== undefined;
}

/** True for an error at a placeholder that another value might avoid. For example, no variable can be a list. */
export function isOpen(finding: Finding, tree: Tree, schema: Schema): boolean {
  const value = isError(finding) ? placeholderAt(finding, tree) : undefined;
  return value !== undefined && formsFor(value, schemaAt(schema, finding.pointer), []).length > 0;
}

function placeholderAt({ pointer, atKey }: Finding, tree: Tree): ScalarTree | undefined {
  const value = atKey === true ? undefined : find(tree, pointer);
  return value?.kind === 'scalar' && value.withheld === true ? value : undefined;
}

function schemaAt(schema: Schema, pointer: Pointer): Schema | undefined {
  return pointer.reduce<Schema | undefined>((at, part) => below(at, part), schema);
}

/** Names that other places refer to. */
function namesIn(tree: Tree): readonly string[] {
  const maps = ['upstreams', 'authorization_servers', 'scopes'].map((key) => child(tree, key));
  const lists = ['scopes_supported', 'resources'].map((key) => child(tree, key));
  return [
    ...maps.flatMap((map) => (map?.kind === 'map' ? [...map.entries.keys()].slice(0, MOST_NAMES) : [])),
    ...lists.flatMap((list) => (list?.kind === 'list' ? list.items.slice(0, MOST_NAMES).map(plain).map(String) : [])),
  ];
}

/** Each faulty placeholder takes its next form. */
function fitInPlace(fitting: Fitting): Forms {
  const forms = new Map<string, number>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const wrong = errorsOf(fitting, forms).filter((finding) => isAtPlaceholder(finding, fitting.tree));
    if (wrong.length === 0) break;
    for (const name of new Set(wrong.map(({ pointer }) => nameOf(pointer))))
      forms.set(name, (forms.get(name) ?? 0) + 1);
  }
  return forms;
}

/** The form of a placeholder may cause a fault at another place. So the nearest placeholders are tried in their other forms. */
function fitElsewhere(fitting: Fitting, inPlace: Forms): Forms {
  let forms = inPlace;
  let errors = errorsOf(fitting, forms);
  let tries = 0;
  for (const { pointer } of errors.filter((finding) => !isAtPlaceholder(finding, fitting.tree))) {
    for (const [near, count] of placesNear(fitting, pointer))
      for (let form = 0; form < count && tries < MOST_TRIES && hasErrorAt(errors, pointer); form++, tries++) {
        const tried = new Map([...forms, [nameOf(near), form]]);
        const left = errorsOf(fitting, tried);
        if (!isLess(left, errors)) continue;
        forms = tried;
        errors = left;
      }
  }
  return forms;
}

function errorsOf(fitting: Fitting, forms: Forms): readonly Finding[] {
  return fitting.judge(formed(fitting, forms)).filter(isError);
}

function isError({ severity }: Finding): boolean {
  return severity === undefined;
}

function hasErrorAt(errors: readonly Finding[], pointer: Pointer): boolean {
  return errors.some((error) => nameOf(error.pointer) === nameOf(pointer));
}

/** True if some findings are gone and no new one came. A new finding may hide old ones. */
function isLess(left: readonly Finding[], before: readonly Finding[]): boolean {
  const known = new Set(before.map(textOf));
  return left.length < before.length && left.every((finding) => known.has(textOf(finding)));
}

function textOf({ pointer, message }: Finding): string {
  return `${nameOf(pointer)} ${message}`;
}

/** The places of placeholders, and the number of forms of each. The place that shares most of its path comes first. */
function placesNear({ tree, schema, names }: Fitting, pointer: Pointer): readonly (readonly [Pointer, number])[] {
  const common = (other: Pointer) => {
    const end = other.findIndex((part, index) => part !== pointer[index]);
    return end === -1 ? other.length : end;
  };
  return [...placesOf(tree, [])]
    .map(([place, value]) => [place, formsFor(value, schemaAt(schema, place), names).length] as const)
    .toSorted(([one], [other]) => common(other) - common(one));
}

function* placesOf(tree: Tree, pointer: Pointer): Iterable<readonly [Pointer, ScalarTree]> {
  if (tree.kind === 'scalar' && tree.withheld === true) yield [pointer, tree];
  if (tree.kind === 'list')
    for (const [index, item] of tree.items.entries()) yield* placesOf(item, [...pointer, index]);
  if (tree.kind === 'map') for (const [key, { value }] of tree.entries) yield* placesOf(value, [...pointer, key]);
}

function nameOf(pointer: Pointer): string {
  return JSON.stringify(pointer);
}

function formed({ tree, schema, names }: Fitting, forms: Forms): Tree {
  return formedAt(tree, schema, []);

  function formedAt(part: Tree, of: Schema | undefined, pointer: Pointer): Tree {
    if (part.kind === 'scalar') {
      if (part.withheld !== true) return part;
      return { ...part, value: formsFor(part, of, names)[forms.get(nameOf(pointer)) ?? 0] ?? part.value };
    }
    if (part.kind === 'list')
      return { ...part, items: part.items.map((item, index) => formedAt(item, of?.items, [...pointer, index])) };
    const entries = [...part.entries].map(
      ([key, entry]) => [key, { ...entry, value: formedAt(entry.value, below(of, key), [...pointer, key]) }] as const,
    );
    return { ...part, entries: new Map(entries) };
  }
}

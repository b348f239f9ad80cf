import type { Pointer, Position } from '../words/problem.ts';

/** The values of a configuration file with their positions, after YAML, variables and overrides. */
export type Tree = ScalarTree | ListTree | MapTree;

export type Plain = string | number | boolean | null;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: Plain;
  readonly at: Position;
  /** The source of a text that is not in the file. Such a value is never shown. */
  readonly origin?: string;
  /** The text is only one variable, so the schema decides whether it is a number, a boolean or text. */
  readonly untyped?: boolean;
  /** The value contains a placeholder, because the variables of `origin` were not read. */
  readonly withheld?: boolean;
}

export interface ListTree {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly at: Position;
}

export interface MapTree {
  readonly kind: 'map';
  readonly entries: Map<string, Entry>;
  readonly at: Position;
}

export interface Entry {
  readonly key: Position;
  readonly value: Tree;
}

/** The direct child; undefined if there is none. */
export function child(tree: Tree | undefined, part: string | number): Tree | undefined {
  if (tree?.kind === 'map') return tree.entries.get(String(part))?.value;
  if (tree?.kind === 'list' && typeof part === 'number') return tree.items[part];
  return undefined;
}

export function find(tree: Tree | undefined, pointer: Pointer): Tree | undefined {
  return pointer.reduce(child, tree);
}

/**
 * The position that a reader expects: the value, or its key if the value starts on a later line. If there is no such value, the
 * nearest position above it.
 */
export function positionOf(tree: Tree, pointer: Pointer, atKey = false): Position {
  const parent = find(tree, pointer.slice(0, -1));
  const last = pointer.at(-1);
  const value = last === undefined ? tree : child(parent, last);
  if (value === undefined) return positionOf(tree, pointer.slice(0, -1));
  const key = parent?.kind === 'map' ? parent.entries.get(String(last))?.key : undefined;
  return key !== undefined && (atKey || (key.line < value.at.line && key.file === value.at.file)) ? key : value.at;
}

/** Only the values. Maps have no prototype, so that no key has a special meaning. */
export function plain(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plain);
  const values: Record<string, unknown> = Object.create(null);
  for (const [key, entry] of tree.entries) values[key] = plain(entry.value);
  return values;
}

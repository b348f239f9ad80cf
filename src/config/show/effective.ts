import { branchFor, type Schema } from '../schema/input-schema.ts';
import { ownValue } from '../words/own-value.ts';
import type { Pointer } from '../words/problem.ts';
import { isSecretName } from '../words/secret-names.ts';
import { maskPasswords } from '../yaml/frame.ts';
import { find, plain, type Tree } from '../yaml/tree.ts';

/** One value of the effective configuration, in the form of the file. */
export interface EffectiveValue {
  /** `upstreams.orders.url`, `routes.0.match.path`. */
  readonly key: string;
  readonly value: unknown;
  readonly origin: ValueSource;
}

/** The origin of a value: a line of the file (with its variable), an overriding variable, or neither. */
export type ValueSource =
  | { readonly kind: 'file'; readonly file: string; readonly line: number; readonly variable?: string }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'default' };

/** Replaces a value that must not be shown. */
export const HIDDEN = '[redacted]';

/** Replaces a value that was not read, because no secrets are read. */
export const UNREAD = '[not read]';

/** Every value with its origin, in the order of the schema. Secrets are redacted. */
export function effectiveValues(schema: Schema, tree: Tree): readonly EffectiveValue[] {
  return walk(schema, plain(tree), []).map(({ pointer, value }) => {
    const node = find(tree, pointer);
    const shown = isUnread(node) ? UNREAD : isHidden(pointer, node) ? HIDDEN : masked(value);
    return { key: pointer.join('.'), value: shown, origin: originOf(node) };
  });
}

interface Leaf {
  readonly pointer: Pointer;
  readonly value: unknown;
}

function walk(schema: Schema, given: unknown, pointer: Pointer): readonly Leaf[] {
  const value = given === undefined ? schema.default : given;
  if (value === undefined) return [];
  if (schema.anyOf !== undefined) return walk(branchFor(schema, value) ?? {}, value, pointer);
  const children = childrenOf(schema, value);
  if (children.length === 0) return isBare(schema, value) ? [] : [{ pointer, value }];
  return children.flatMap(([key, of, child]) => walk(of, child, [...pointer, key]));
}

/** A list of plain values counts as one value. */
function childrenOf(schema: Schema, value: unknown): readonly (readonly [string | number, Schema, unknown])[] {
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return items.type === 'object' ? value.map((item, index) => [index, items, item] as const) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, additionalProperties } = schema;
  const known = Object.entries(properties).map(([key, of]) => [key, of, ownValue(value, key)] as const);
  if (typeof additionalProperties !== 'object') return known;
  return [...known, ...Object.keys(value).map((key) => [key, additionalProperties, ownValue(value, key)] as const)];
}

/** True for a record without given values and without defaults. */
function isBare({ properties }: Schema, value: unknown): boolean {
  return properties !== undefined && typeof value === 'object';
}

function originOf(node: Tree | undefined): ValueSource {
  if (node === undefined) return { kind: 'default' };
  const { file, line } = node.at;
  if (line === 0) return { kind: 'environment', name: file };
  const variable = sourceOf(node);
  // A default in the file may be a secret, like the value that it replaces.
  return { kind: 'file', file, line, ...(variable !== '' && { variable: variable.replace(/:-[^}]*/g, ':-…') }) };
}

function isUnread(node: Tree | undefined): boolean {
  if (node?.kind === 'list') return node.items.some(isUnread);
  return node?.kind === 'scalar' && node.withheld === true;
}

/**
 * True for a value below the name of a secret, in a header that carries a secret, from a file, or from a variable with such a
 * name.
 */
function isHidden(pointer: Pointer, node: Tree | undefined): boolean {
  if (pointer.some((part) => typeof part === 'string' && isSecretName(part))) return true;
  if (pointer.at(-2) === 'headers' && /authorization|cookie|token|key/i.test(String(pointer.at(-1)))) return true;
  const origin = sourceOf(node);
  const names = [...origin.matchAll(/\$\{([^}:]+)/g)].map(([, name]) => name as string);
  return origin.endsWith('__FILE') || names.some((name) => name === 'file' || isSecretName(name));
}

/** The original text, with the variables of the value or of the entries of a list. */
function sourceOf(node: Tree | undefined): string {
  if (node?.kind === 'list') return node.items.map(sourceOf).filter(Boolean).join(' ');
  return node?.kind === 'scalar' ? maskPasswords(node.origin ?? '') : '';
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskPasswords(value).replace(/([?&]access_token=)[^&\s]*/gi, `$1${HIDDEN}`);
  return Array.isArray(value) ? value.map(masked) : value;
}

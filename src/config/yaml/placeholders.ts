import { hash } from 'node:crypto';
import { storageFile } from '../../base/storage-urls.ts';
import { below, type Schema } from '../schema/input-schema.ts';
import type { unitTable } from '../schema/units.ts';
import { placeholderFor } from '../words/placeholder.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { refill } from './interpolate.ts';
import { find, type Plain, type ScalarTree, type Tree } from './tree.ts';

/** Says what is wrong with values. */
type Judge = (tree: Tree) => readonly Finding[];

/** Each takes a look at the whole file. */
const MOST_ROUNDS = 12;

/**
 * Gives every placeholder the first form that its place takes: a number where a number belongs, a URL where a URL does. One
 * that fits no form stays as it was, and is at fault like any other value.
 */
export function fitPlaceholders(tree: Tree, schema: Schema, judge: Judge): Tree {
  const forms = new Map<string, number>();
  let fitted = formed(tree, schema, [], forms);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const wrong = judge(fitted).filter((finding) => isAtPlaceholder(finding, tree));
    const open = new Set(wrong.filter(isError).map(({ pointer }) => nameOf(pointer)));
    if (open.size === 0) return fitted;
    for (const name of open) forms.set(name, (forms.get(name) ?? 0) + 1);
    fitted = formed(tree, schema, [], forms);
  }
  return fitted;
}

/** What is wrong with the value of a placeholder; that a key stands there at all is another matter. */
export function isAtPlaceholder({ pointer, atKey }: Finding, tree: Tree): boolean {
  const value = find(tree, pointer);
  return atKey !== true && value?.kind === 'scalar' && value.withheld === true;
}

function isError({ severity }: Finding): boolean {
  return severity === undefined;
}

function nameOf(pointer: Pointer): string {
  return JSON.stringify(pointer);
}

type Forms = ReadonlyMap<string, number>;

function formed(tree: Tree, schema: Schema | undefined, pointer: Pointer, forms: Forms): Tree {
  if (tree.kind === 'scalar') {
    if (tree.withheld !== true) return tree;
    return { ...tree, value: formsFor(tree, schema)[forms.get(nameOf(pointer)) ?? 0] ?? tree.value };
  }
  if (tree.kind === 'list') {
    const items = tree.items.map((item, index) => formed(item, schema?.items, [...pointer, index], forms));
    return { ...tree, items };
  }
  const entries = [...tree.entries].map(
    ([key, entry]) =>
      [key, { ...entry, value: formed(entry.value, below(schema, key), [...pointer, key], forms) }] as const,
  );
  return { ...tree, entries: new Map(entries) };
}

function formsFor({ origin = '', untyped }: ScalarTree, schema: Schema | undefined): readonly Plain[] {
  if (untyped === true) return wholeForms(schema, placeholderFor(origin.slice(2, -1)));
  return partForms.map((form) => refill(origin, (variable) => form(placeholderFor(variable))));
}

/** Of a variable among other text. */
const partForms: readonly ((placeholder: string) => string)[] = [(placeholder) => placeholder, numberFrom, () => '1'];

function wholeForms(schema: Schema | undefined, placeholder: string): readonly Plain[] {
  if (schema?.anyOf !== undefined) return schema.anyOf.flatMap((branch) => wholeForms(branch, placeholder));
  if (schema?.enum !== undefined) return schema.enum;
  if (schema?.type === 'boolean') return [false, true];
  if (schema?.type === 'integer' || schema?.type === 'number') return [schema.minimum ?? 1, 1];
  if (schema?.unit !== undefined) return unitForms[schema.unit](placeholder);
  return textForms.map((form) => form(placeholder));
}

const unitForms: Readonly<Record<keyof typeof unitTable, (placeholder: string) => readonly string[]>> = {
  duration: () => ['1s', '1m', '1h'],
  size: () => ['1KiB', '1MiB'],
  address: (placeholder) => [`127.0.0.1:${numberFrom(placeholder)}`],
};

/** Such as rules ask for that a schema cannot say. */
const textForms: readonly ((placeholder: string) => string)[] = [
  (placeholder) => placeholder,
  (placeholder) => `https://${placeholder}.invalid`,
  (placeholder) => hash('sha256', placeholder, 'hex'),
  () => `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  (placeholder) => storageFile(`${placeholder}.db`),
  () => 'memory',
  () => '192.0.2.0/24',
  (placeholder) => `/${placeholder}`,
];

/** A port above those that programs are usually found at. */
function numberFrom(placeholder: string): string {
  return String(20_000 + (Number.parseInt(placeholder.slice(-6), 16) % 40_000));
}

import { hash } from 'node:crypto';
import { storageFile, storageServerSchemes } from '../../base/storage-urls.ts';
import type { Schema } from '../schema/input-schema.ts';
import type { unitTable } from '../schema/units.ts';
import { placeholderFor } from '../words/placeholder.ts';
import { refill } from './interpolate.ts';
import type { Plain, ScalarTree } from './tree.ts';

/**
 * The possible forms of a placeholder at a place, the likeliest first. None: no value of the variable can be valid there.
 * @param names that the file gives to its parts, and that other places use
 */
export function formsFor(
  { origin = '', untyped }: ScalarTree,
  schema: Schema | undefined,
  names: readonly string[],
): readonly Plain[] {
  if (untyped === true) return wholeForms(schema, placeholderFor(origin.slice(2, -1)), names);
  if (schema?.enum !== undefined) return schema.enum.filter((word) => mayBe(origin, word));
  return partForms(origin);
}

function wholeForms(schema: Schema | undefined, placeholder: string, names: readonly string[]): readonly Plain[] {
  if (schema?.anyOf !== undefined) return schema.anyOf.flatMap((branch) => wholeForms(branch, placeholder, names));
  if (schema?.enum !== undefined) return schema.enum;
  if (schema?.const !== undefined) return [schema.const as Plain];
  if (schema?.type === 'object' || schema?.type === 'array') return [];
  if (schema?.type === 'boolean') return [false, true];
  if (schema?.type === 'integer' || schema?.type === 'number') return [schema.minimum ?? 1, 1];
  if (schema?.unit !== undefined) return unitForms[schema.unit](placeholder);
  return [...textForms.map((form) => form(placeholder)), ...names];
}

const unitForms: Readonly<Record<keyof typeof unitTable, (placeholder: string) => readonly string[]>> = {
  duration: () => ['1s', '1m', '1h'],
  size: () => ['1KiB', '1MiB'],
  address: (placeholder) => [`127.0.0.1:${numberFrom(placeholder)}`],
};

/** Forms that rules require, and that a schema cannot express. */
const textForms: readonly ((placeholder: string) => string)[] = [
  (placeholder) => placeholder,
  (placeholder) => `https://${placeholder}.invalid`,
  (placeholder) => hash('sha256', placeholder, 'hex'),
  () => `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  (placeholder) => storageFile(`${placeholder}.db`),
  () => 'memory',
  () => '192.0.2.0/24',
  (placeholder) => `/${placeholder}`,
  () => 'GET',
  // An expression.
  () => 'true',
];

/** True if the variables of a text can make it this word. */
function mayBe(origin: string, word: string): boolean {
  const gap = '\0';
  const parts = refill(origin, () => gap).split(gap);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return word.length >= first.length + last.length && word.startsWith(first) && word.endsWith(last);
}

/** For variables inside other text. A scheme must come before `://`, whatever the variables are. */
function partForms(origin: string): readonly string[] {
  const schemes = /\}:\/\//.test(origin) ? ['https', 'http', 'redis', ...storageServerSchemes()] : [''];
  return schemes.flatMap((scheme) =>
    valueForms.map((form) =>
      refill(origin, (variable, { before, after }) =>
        scheme !== '' && after.startsWith('://') ? scheme : form(placeholderFor(variable), before),
      ),
    ),
  );
}

const valueForms: readonly ((placeholder: string, before: string) => string)[] = [
  (placeholder) => placeholder,
  // A port after the variable of its host.
  (placeholder, before) => (before.endsWith(':') ? numberFrom(placeholder) : placeholder),
  numberFrom,
  () => '1',
];

/** A port above the usual ports of programs. */
function numberFrom(placeholder: string): string {
  return String(20_000 + (Number.parseInt(placeholder.slice(-6), 16) % 40_000));
}

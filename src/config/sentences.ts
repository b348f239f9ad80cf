import type { ErrorObject } from 'ajv';
import { closest, didYouMean } from './closest.ts';
import { maskPasswords } from './frame.ts';
import { type Schema, typeOf } from './input-schema.ts';
import { isKnownKey } from './known-keys.ts';
import type { Finding, Pointer } from './problem.ts';
import type { Unit } from './schema.ts';
import { unitTable } from './units.ts';

type IsShown = (pointer: Pointer) => boolean;

interface Context {
  readonly pointer: Pointer;
  readonly value: unknown;
  readonly schema: Schema;
  /** `` `abc` ``, or words for a value that must not be shown. */
  readonly shown: string;
}

type Row = (error: ErrorObject, context: Context) => Finding | Finding[];

/** What each keyword of JSON Schema has to say, in the words of who wrote the file. */
const rows: Record<string, Row> = {
  additionalProperties: (error, { pointer, value, schema, shown }) => {
    const key = String(error.params.additionalProperty);
    const known = Object.keys(schema.properties ?? {});
    const told = unknownKey(key, known, { isAlone: isAlone(value, key), isShown: shown !== hidden });
    return { pointer: [...pointer, key], atKey: true, ...told };
  },
  required: (error, { pointer, schema }) => {
    const key = String(error.params.missingProperty);
    const description = schema.properties?.[key]?.description;
    return { pointer: [...pointer, key], message: `\`${key}\` is missing`, hint: description };
  },
  enum: (_, { pointer, value, schema, shown }) => ({
    pointer,
    message: `${shown} is not one of the words taken here`,
    hint:
      typeof value === 'string'
        ? (didYouMean(value, schema.enum ?? []) ?? `write one of ${(schema.enum ?? []).join(', ')}`)
        : undefined,
  }),
  const: (_, { pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is not taken here`,
    hint: `write ${JSON.stringify(schema.const)}`,
  }),
  unit: wrongForm,
  pattern: wrongForm,
  minLength: (_, { pointer }) => ({ pointer, message: 'the text is empty' }),
  minItems: (_, { pointer }) => ({ pointer, message: 'the list is empty', hint: 'it needs at least one entry' }),
  minimum: (error, { pointer, shown }) => ({
    pointer,
    message: `${shown} is too small`,
    hint: `at least ${error.params.limit}`,
  }),
  maximum: (error, { pointer, shown }) => ({
    pointer,
    message: `${shown} is too large`,
    hint: `at most ${error.params.limit}`,
  }),
  type: (_, context) => wrongType(context),
  anyOf: (_, { pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is not one of the forms taken here`,
    hint: schema.description,
  }),
};

/** Behind a comma or a colon it may be the rest of a secret that had to be quoted. */
function unknownKey(
  key: string,
  known: readonly string[],
  { isAlone, isShown }: { readonly isAlone: boolean; readonly isShown: boolean },
): Pick<Finding, 'message' | 'hint'> {
  if (key.includes(':'))
    return { message: 'an unknown key, with a colon in it', hint: 'write a space behind the colon' };
  const isQuoted = closest(key, known) !== undefined || (isShown && !isAlone);
  if (isQuoted) return { message: `unknown key \`${key}\``, hint: didYouMean(key, known) };
  const hint = isAlone ? 'a value with a comma in it must be quoted' : didYouMean(key, known);
  return { message: 'an unknown key', hint };
}

function isAlone(map: unknown, key: string): boolean {
  return (map as Readonly<Record<string, unknown>>)[key] === null;
}

export function sentence(error: ErrorObject, values: unknown, isShown: IsShown): Finding[] {
  const pointer = toPointer(error.instancePath, values);
  return [
    rows[error.keyword]?.(error, contextFor(pointer, error.data, error.parentSchema as Schema, isShown)) ?? [],
  ].flat();
}

function contextFor(pointer: Pointer, value: unknown, schema: Schema, isShown: IsShown): Context {
  return { pointer, value, schema, shown: isShown(pointer) ? describe(value) : hidden };
}

function describe(value: unknown): string {
  const kind = kinds[typeOf(value)];
  return kind ?? `\`${maskPasswords(String(value)).slice(0, 80)}\``;
}

const hidden = 'the value';

const kinds: Record<string, string> = { object: 'a map', array: 'a list', null: 'nothing' };

const wanted: Record<string, string> = {
  object: 'a map of keys and values',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  boolean: 'true or false',
};

function wrongForm(_: ErrorObject, { pointer, schema, shown }: Context): Finding {
  const unit = schema.unit && unitTable[schema.unit as Unit];
  if (unit === undefined)
    return { pointer, message: `${shown} is not of the form taken here`, hint: schema.description };
  const none = String((schema as { pattern?: string }).pattern).startsWith('^(none|') ? ', or `none`' : '';
  return { pointer, message: `${shown} is not ${unit.noun}`, hint: `${unit.form}${none}` };
}

function wrongType({ pointer, value, schema, shown }: Context): Finding {
  const want = schema.unit ? unitTable[schema.unit].noun : wanted[schema.type ?? ''];
  if (value === null)
    return {
      pointer,
      message: `${nameOf(pointer)} is empty, and takes ${want}`,
      hint: 'give it a value or leave it out',
    };
  return {
    pointer,
    message: `${shown} stands where ${want} is taken`,
    hint: typeHint(value, schema, shown !== hidden),
  };
}

/** A name of the author's own may be the rest of a secret that had to be quoted. */
function nameOf(pointer: Pointer): string {
  const last = pointer.at(-1);
  if (last === undefined) return '`the file`';
  return typeof last === 'number' || isKnownKey(last) ? `\`${last}\`` : 'this key';
}

function typeHint(value: unknown, schema: Schema, isShown: boolean): string | undefined {
  if (schema.unit !== undefined) return unitTable[schema.unit].form;
  if (schema.type === 'string' && ['integer', 'number', 'boolean'].includes(typeOf(value))) return 'put it in quotes';
  if (schema.type === 'string' && typeOf(value) === 'object') return 'text that starts with `{` must be quoted';
  if (schema.type === 'array' && typeof value === 'string')
    return `write [${isShown && !value.includes(' ') ? value : '…'}]`;
  return schema.type === 'boolean' && /^(yes|no|on|off)$/i.test(String(value))
    ? 'YAML 1.2 knows only true and false'
    : undefined;
}

/** JSON Pointer (RFC 6901), with numbers where the value above is a list. */
function toPointer(path: string, values: unknown): Pointer {
  let above = values;
  return path
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(above) ? Number(key) : key;
      above = (above as Record<string | number, unknown> | undefined)?.[step];
      return step;
    });
}

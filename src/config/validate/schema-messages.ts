import { type Schema, typeOf } from '../schema/input-schema.ts';
import { isKnownKey } from '../schema/known-keys.ts';
import { unitTable } from '../schema/units.ts';
import { closest, didYouMean } from '../words/closest.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { maskPasswords, maskValuesInKeys } from '../yaml/frame.ts';
import { placeOfKey } from './misplaced-key.ts';
import { type Keyword, type Mistake, toPointer } from './mistakes.ts';

type IsShown = (pointer: Pointer) => boolean;

interface Context extends Mistake {
  readonly pointer: Pointer;
  /** The value as `` `abc` ``, or a description if the value must not be shown. */
  readonly shown: string;
}

type Row = (context: Context) => Finding;

/** The message for each keyword of JSON Schema, in the words of the author of the file. */
const rows: Readonly<Record<Keyword, Row>> = {
  additionalProperties: (context) => ({
    pointer: [...context.pointer, context.key],
    atKey: true,
    ...unknownKey(context),
  }),
  required: ({ pointer, key, schema }) => {
    const description = schema.properties?.[key]?.description;
    return { pointer: [...pointer, key], message: `\`${key}\` is missing`, hint: description };
  },
  enum: ({ pointer, value, schema, shown }) => ({
    pointer,
    message: `${shown} is not one of the accepted words`,
    hint:
      typeof value === 'string'
        ? (didYouMean(value, schema.enum ?? []) ?? `write one of ${(schema.enum ?? []).join(', ')}`)
        : undefined,
  }),
  const: ({ pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is not accepted here`,
    hint: `write ${JSON.stringify(schema.const)}`,
  }),
  unit: wrongForm,
  pattern: wrongForm,
  minLength: ({ pointer }) => ({ pointer, message: 'the text is empty' }),
  minItems: ({ pointer }) => ({ pointer, message: 'the list is empty', hint: 'it needs at least one entry' }),
  minimum: ({ pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is too small`,
    hint: `at least ${schema.minimum}`,
  }),
  maximum: ({ pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is too large`,
    hint: `at most ${schema.maximum}`,
  }),
  type: wrongType,
  anyOf: ({ pointer, schema, shown }) => ({
    pointer,
    message: `${shown} is not one of the accepted forms`,
    hint: schema.description,
  }),
};

/** The key may be the rest of an unquoted secret with a comma or a colon. */
function unknownKey({ key, value, schema, pointer, root, shown }: Context): Pick<Finding, 'message' | 'hint'> {
  if (key.includes(':'))
    return { message: 'an unknown key, with a colon in it', hint: 'write a space after the colon' };
  const [known, alone] = [Object.keys(schema.properties ?? {}), isAlone(value, key)];
  const place = alone ? undefined : placeOfKey(key, { schema, pointer, value }, root);
  const isQuoted = place !== undefined || closest(key, known) !== undefined || (shown !== hidden && !alone);
  if (isQuoted) return { message: `unknown key \`${key}\``, hint: place ?? didYouMean(key, known) };
  const hint = alone ? 'a value with a comma in it must be quoted' : didYouMean(key, known);
  return { message: 'an unknown key', hint };
}

function isAlone(map: unknown, key: string): boolean {
  return (map as Readonly<Record<string, unknown>>)[key] === null;
}

export function sentence(mistake: Mistake, values: unknown, isShown: IsShown): Finding {
  const pointer = toPointer(mistake.instancePath, values);
  const shown = isShown(pointer) ? describe(mistake.value) : hidden;
  return rows[mistake.keyword]({ ...mistake, pointer, shown });
}

function describe(value: unknown): string {
  const kind = kinds[typeOf(value)];
  return kind ?? `\`${maskValuesInKeys(maskPasswords(String(value))).slice(0, 80)}\``;
}

const hidden = 'the value';

const kinds: Record<string, string> = { object: 'a map', array: 'a list', null: 'nothing' };

const wanted: Record<string, string> = {
  object: 'a map of keys and values',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function wrongForm({ pointer, schema, shown }: Context): Finding {
  const unit = schema.unit && unitTable[schema.unit];
  if (unit === undefined)
    return { pointer, message: `${shown} does not have the accepted form`, hint: schema.description };
  const none = schema.pattern?.startsWith('^(none|') ? ', or `none`' : '';
  return { pointer, message: `${shown} is not ${unit.noun}`, hint: `${unit.form}${none}` };
}

function wrongType({ pointer, value, schema, shown }: Context): Finding {
  const want = schema.unit ? unitTable[schema.unit].noun : wanted[schema.type ?? ''];
  if (value === null)
    return {
      pointer,
      message: `${nameOf(pointer)} is empty; expected ${want}`,
      hint: `${schema.type === 'object' ? 'write its keys below it, with more spaces' : 'add a value'}, or leave the key out`,
    };
  return {
    pointer,
    message: `expected ${want}, found ${shown}`,
    hint: typeHint(value, schema, shown !== hidden),
  };
}

/** A name of the author's choice may be the rest of an unquoted secret. */
function nameOf(pointer: Pointer): string {
  const last = pointer.at(-1);
  if (last === undefined) return '`the file`';
  return typeof last === 'number' || isKnownKey(last) ? `\`${last}\`` : 'this key';
}

function typeHint(value: unknown, schema: Schema, isShown: boolean): string | undefined {
  if (schema.unit !== undefined) return unitTable[schema.unit].form;
  if (schema.type === 'string' && ['integer', 'number', 'boolean'].includes(typeOf(value))) return 'put it in quotes';
  if (schema.type === 'string' && typeOf(value) === 'object') return 'text that starts with `{` must be quoted';
  if (schema.type === 'object' && isKeyWithoutSpace(value)) return 'write a space after the colon';
  if (schema.type === 'array' && typeof value === 'string')
    return `write [${isShown && !value.includes(' ') ? maskValuesInKeys(value) : '…'}]`;
  return schema.type === 'boolean' && typeof value === 'string' && /^(yes|no|on|off)$/i.test(value)
    ? 'YAML 1.2 accepts only true and false'
    : undefined;
}

/** YAML reads `id:a` as text. */
function isKeyWithoutSpace(value: unknown): boolean {
  return typeof value === 'string' && isKnownKey(/^([\w-]+):/.exec(value)?.[1] ?? '');
}

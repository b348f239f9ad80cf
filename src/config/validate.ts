import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { fits } from './fits.ts';
import { branchFor, inputSchema, type Schema } from './input-schema.ts';
import type { Finding } from './problem.ts';
import type { Unit } from './schema.ts';
import { sentence } from './sentences.ts';
import { convert } from './units.ts';

/** Judges values against a schema and says what is wrong with them. */
export type Validate = (values: unknown, isShown: (finding: Finding['pointer']) => boolean) => Shape;

export interface Shape {
  readonly findings: readonly Finding[];
  /** Of more findings than anybody reads only the first are told. */
  readonly isWhole: boolean;
}

const require = createRequire(import.meta.url);
const SOUND: Shape = { findings: [], isWhole: true };

/** Compiled for the first mistake. */
export function buildValidate(schema: Schema): Validate {
  const input = inputSchema(schema);
  let judge: ValidateFunction | undefined;
  return (values, isShown) => {
    if (fits(input, values)) return SOUND;
    judge ??= compile(input);
    judge(values);
    const errors = judge.errors ?? [];
    return { findings: tell(firstOf(errors), values, isShown), isWhole: errors.length <= MOST_ERRORS };
  };
}

/** What tells mistakes. */
export function compile(input: Schema): ValidateFunction {
  const { Ajv } = require('ajv') as typeof import('ajv');
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    messages: false,
  });
  ajv.addKeyword({
    keyword: 'unit',
    type: 'string',
    validate: (unit: Unit, text: string) => convert(unit, text) !== undefined,
    errors: false,
  });
  ajv.addVocabulary(['keys']);
  return ajv.compile(input);
}

/** Each is compared with the unions among them. */
const MOST_ERRORS = 1_000;

/** Without the part of the file in which the last of them stand: an error of a union comes behind those of its branches. */
function firstOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const next = errors[MOST_ERRORS];
  if (next === undefined) return errors;
  const first = errors.slice(0, MOST_ERRORS);
  const whole = first.filter((error) => partOf(error) !== partOf(next));
  return whole.length > 0 ? whole : first;
}

/** `/routes/7` of whatever stands below it. */
function partOf({ instancePath }: ErrorObject): string {
  return instancePath.split('/', 3).join('/');
}

/** One finding for each place: of a union only the alternative that was meant, of a pattern beside its unit only one. */
function tell(
  errors: readonly ErrorObject[],
  values: unknown,
  isShown: (pointer: Finding['pointer']) => boolean,
): Finding[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf').map(withBranch);
  const meant = errors.filter((error) => unions.every((union) => isMeant(error, union, errors)));
  const seen = new Set<string>();
  return meant
    .flatMap((error) => sentence(error, values, isShown))
    .filter(({ pointer }) => {
      const place = JSON.stringify(pointer);
      return !seen.has(place) && seen.add(place);
    });
}

interface Union {
  readonly union: ErrorObject;
  /** Where the schema of the alternative that was meant begins. */
  readonly prefix: string | undefined;
}

function withBranch(union: ErrorObject): Union {
  const branch = branchFor(union.parentSchema as Schema, union.data);
  const prefix =
    branch === undefined ? undefined : `${union.schemaPath}/${(union.schema as Schema[]).indexOf(branch)}/`;
  return { union, prefix };
}

/** Whether an error is to be told, as far as this union is concerned: what a branch that was not meant says is noise. */
function isMeant(error: ErrorObject, { union, prefix }: Union, all: readonly ErrorObject[]): boolean {
  const fromBranch = (one: ErrorObject) =>
    prefix !== undefined && one.schemaPath.startsWith(prefix) && isBelow(one, union);
  if (error === union) return !all.some(fromBranch);
  return !(error.schemaPath.startsWith(`${union.schemaPath}/`) && isBelow(error, union)) || fromBranch(error);
}

function isBelow(error: ErrorObject, union: ErrorObject): boolean {
  return error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
}

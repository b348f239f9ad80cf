import { Ajv, type ErrorObject } from 'ajv';
import { branchFor, inputSchema, type Schema } from './input-schema.ts';
import type { Finding } from './problem.ts';
import type { Unit } from './schema.ts';
import { sentence } from './sentences.ts';
import { convert } from './units.ts';

/** Judges values against a schema and says everything that is wrong with them. */
export type Validate = (values: unknown, isShown: (finding: Finding['pointer']) => boolean) => readonly Finding[];

export function buildValidate(schema: Schema): Validate {
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
  const judge = ajv.compile(inputSchema(schema));
  return (values, isShown) => {
    judge(values);
    return tell(judge.errors ?? [], values, isShown);
  };
}

/** One finding for each place: of a union only the alternative that was meant, of a pattern beside its unit only one. */
function tell(
  errors: readonly ErrorObject[],
  values: unknown,
  isShown: (pointer: Finding['pointer']) => boolean,
): Finding[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf');
  const meant = errors.filter((error) => unions.every((union) => isMeant(error, union, errors)));
  const seen = new Set<string>();
  return meant
    .flatMap((error) => sentence(error, values, isShown))
    .filter(({ pointer }) => {
      const place = JSON.stringify(pointer);
      return !seen.has(place) && seen.add(place);
    });
}

/** Whether an error is to be told, as far as this union is concerned: what a branch that was not meant says is noise. */
function isMeant(error: ErrorObject, union: ErrorObject, all: readonly ErrorObject[]): boolean {
  const branch = branchFor(union.parentSchema as Schema, union.data);
  const prefix =
    branch === undefined ? undefined : `${union.schemaPath}/${(union.schema as Schema[]).indexOf(branch)}/`;
  const fromBranch = (one: ErrorObject) =>
    prefix !== undefined && one.schemaPath.startsWith(prefix) && isBelow(one, union);
  if (error === union) return !all.some(fromBranch);
  return !(error.schemaPath.startsWith(`${union.schemaPath}/`) && isBelow(error, union)) || fromBranch(error);
}

function isBelow(error: ErrorObject, union: ErrorObject): boolean {
  return error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
}

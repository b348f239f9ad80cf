import { branchFor, inputSchema, type Schema } from '../schema/input-schema.ts';
import type { Finding } from '../words/problem.ts';
import { buildJudge, type Mistake } from './mistakes.ts';
import { sentence } from './schema-messages.ts';

/** Checks values against a schema, and returns the faults. */
export type Validate = (values: unknown, isShown: (finding: Finding['pointer']) => boolean) => ShapeCheck;

export interface ShapeCheck {
  readonly findings: readonly Finding[];
  /** Only the first findings are reported, because no one reads more. */
  readonly isWhole: boolean;
}

export function buildValidate(schema: Schema): Validate {
  const judge = buildJudge(inputSchema(schema));
  return (values, isShown) => {
    const mistakes = judge(values);
    return { findings: tell(firstOf(mistakes), values, isShown), isWhole: mistakes.length <= MOST_MISTAKES };
  };
}

/** Each mistake is compared with the unions, so their number needs a limit. */
const MOST_MISTAKES = 1_000;

/**
 * Drops the part of the file that the limit cuts. A mistake of a union comes after the mistakes of its branches, so a cut part
 * has no meaning.
 */
function firstOf(mistakes: readonly Mistake[]): readonly Mistake[] {
  const next = mistakes[MOST_MISTAKES];
  if (next === undefined) return mistakes;
  const first = mistakes.slice(0, MOST_MISTAKES);
  const whole = first.filter((mistake) => partOf(mistake) !== partOf(next));
  return whole.length > 0 ? whole : first;
}

/** `/routes/7` for every path below it. */
function partOf({ instancePath }: Mistake): string {
  return instancePath.split('/', 3).join('/');
}

/** One finding for each place. For a union, only the alternative that the author probably meant. */
function tell(
  mistakes: readonly Mistake[],
  values: unknown,
  isShown: (pointer: Finding['pointer']) => boolean,
): Finding[] {
  const unions = mistakes.filter(({ keyword }) => keyword === 'anyOf').map(withBranch);
  const meant = mistakes.filter((mistake) => unions.every((union) => isMeant(mistake, union, mistakes)));
  const seen = new Set<string>();
  return meant
    .map((mistake) => sentence(mistake, values, isShown))
    .filter(({ pointer }) => {
      const place = JSON.stringify(pointer);
      return !seen.has(place) && seen.add(place);
    });
}

interface Union {
  readonly union: Mistake;
  /** The schema path of the alternative that the author probably meant. */
  readonly branchPath: string | undefined;
}

function withBranch(union: Mistake): Union {
  const branches = union.schema.anyOf ?? [];
  const branch = branchFor(union.schema, union.value);
  const index = branch === undefined ? undefined : branches.indexOf(branch);
  return { union, branchPath: index === undefined ? undefined : `${union.schemaPath}/anyOf/${index}` };
}

/** True if a mistake of a union must be reported: messages of other branches are noise. */
function isMeant(mistake: Mistake, { union, branchPath }: Union, all: readonly Mistake[]): boolean {
  const fromBranch = (one: Mistake) =>
    branchPath !== undefined && isWithin(one.schemaPath, branchPath) && isWithin(one.instancePath, union.instancePath);
  if (mistake === union) return !all.some(fromBranch);
  const isOfUnion =
    mistake.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) && isWithin(mistake.instancePath, union.instancePath);
  return !isOfUnion || fromBranch(mistake);
}

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

import type { ParsedNode } from 'yaml';
import { printableExcerpt, printableValue } from '../../base/printable.ts';
import type { Finding, Pointer, Position, Problem } from '../words/problem.ts';
import { isSecretName } from '../words/secret-names.ts';
import { framer, maskPasswords } from '../yaml/frame.ts';
import type { Fault } from '../yaml/parse.ts';
import { find, positionOf, type Tree } from '../yaml/tree.ts';

/** A variable that could not be filled in leaves no value. A second message about the missing value is dropped. */
export function isEcho({ pointer }: Finding, tree: Tree, faults: readonly Fault[]): boolean {
  const place = positionOf(tree, pointer);
  return faults.some(({ at }) => at === find(tree, pointer)?.at || (place.line === 0 && at.file === place.file));
}

/**
 * Replaces the value of a variable in a message with the variable's name, because the value may be a secret in the wrong place.
 */
export function redactFilledIn(finding: Finding, tree: Tree): Finding {
  const value = find(tree, finding.pointer);
  if (value?.kind !== 'scalar' || value.origin === undefined) return finding;
  const { origin } = value;
  const text = String(value.value);
  const replace = (told: string, isOfValue: (part: string) => boolean) =>
    told.replace(/`([^`]+)`/g, (quoted, part) => (isOfValue(part) ? `\`${origin}\`` : quoted));
  // A message quotes the fault, which may be one word of the value. A hint quotes words of the file.
  const words = new Set(text.split(/[\s,]+/));
  const message = replace(finding.message, (part) => words.has(part) || isGivenAway(text, part));
  const hint = finding.hint && replace(finding.hint, (part) => isGivenAway(text, part));
  return { ...finding, message, hint };
}

/** A value of this length is unlikely to occur in another text by chance. */
const TELLING = 8;

function isGivenAway(text: string, part: string): boolean {
  return text === part || (part.length >= TELLING && text.includes(part));
}

/**
 * Never shown: a value from a variable, a value below the name of a secret, and an alias of either. Computed once, at the first
 * use.
 */
export function shownIn(tree: Tree): (pointer: Pointer) => boolean {
  let secrets: ReadonlySet<string> | undefined;
  return (pointer) => {
    const value = find(tree, pointer);
    const fromVariable = value?.kind === 'scalar' && value.origin !== undefined;
    if (fromVariable || pointer.some((part) => typeof part === 'string' && isSecretName(part))) return false;
    secrets ??= new Set(secretPlaces(tree, false));
    return value === undefined || !secrets.has(placeName(value.at));
  };
}

/** Values at the same position are the same text, because of an alias. */
function* secretPlaces(tree: Tree, secret: boolean): Iterable<string> {
  if (tree.kind === 'scalar' && secret) yield placeName(tree.at);
  if (tree.kind === 'list') for (const item of tree.items) yield* secretPlaces(item, secret);
  if (tree.kind === 'map')
    for (const [name, { value }] of tree.entries) yield* secretPlaces(value, secret || isSecretName(name));
}

function placeName({ file, line, column }: Position): string {
  return `${line}:${column}:${file}`;
}

/** At most this many problems of one file are reported. The next run shows more. */
const MOST_TOLD = 100;

/**
 * Converts faults to problems for the author of the file, in the order of the file.
 * @param contents of the text; undefined: the text is not YAML
 */
export function toProblems(text: string, contents: ParsedNode | null | undefined, faults: readonly Fault[]): Problem[] {
  if (faults.length === 0) return [];
  const frame = framer(text, contents);
  return mostOf(withoutEchoes(faults)).map(({ at, message: told, hint, severity = 'error' }) => {
    const shown = at.line === 0 ? undefined : frame(at.line, at.column);
    const message = printableValue(maskPasswords(at.line === 0 ? `${at.file}: ${told}` : told));
    return {
      severity: severity as Problem['severity'],
      ...at,
      message,
      ...(hint !== undefined && { hint: printableValue(maskPasswords(hint)) }),
      ...(shown !== undefined && { frame: printableExcerpt(shown) }),
    };
  });
}

/** A fault below an anchor repeats below each alias. It is reported once. */
function withoutEchoes(faults: readonly Fault[]): readonly Fault[] {
  const told = new Map(faults.map((fault) => [`${Object.values(fault.at).join(':')} ${fault.message}`, fault]));
  return [...told.values()];
}

/** In the order of the file. If there are too many, errors come before warnings, and the last line counts the rest. */
function mostOf(faults: readonly Fault[]): readonly Fault[] {
  const errors = faults.filter(({ severity }) => severity === undefined);
  const warnings = faults.filter(({ severity }) => severity !== undefined);
  const all = [...inOrder(errors), ...inOrder(warnings)];
  const [told, rest] = [inOrder(all.slice(0, MOST_TOLD)), all.slice(MOST_TOLD)];
  const [first] = rest;
  return first === undefined
    ? told
    : [...told, { ...first, message: `there are at least ${rest.length} more findings`, hint: undefined }];
}

function inOrder(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((one, other) => one.at.line - other.at.line || one.at.column - other.at.column);
}

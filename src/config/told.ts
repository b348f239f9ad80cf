import { framer, maskPasswords } from './frame.ts';
import type { Fault } from './parse.ts';
import type { Finding, Pointer, Problem } from './problem.ts';
import { isSecretName } from './secret-names.ts';
import { find, placeOf, type Tree } from './tree.ts';

/** A variable that could not be filled in leaves no value; that there is none needs no second word. */
export function isEcho({ pointer }: Finding, tree: Tree, faults: readonly Fault[]): boolean {
  const place = placeOf(tree, pointer);
  return faults.some(({ at }) => at === find(tree, pointer)?.at || (place.line === 0 && at.file === place.file));
}

/** Quotes the variable where a message quotes what it was filled with: that may be a secret in the wrong place. */
export function unfill(finding: Finding, tree: Tree): Finding {
  const value = find(tree, finding.pointer);
  if (value?.kind !== 'scalar' || value.origin === undefined) return finding;
  const { origin } = value;
  const replace = (text: string) =>
    text.replace(/`([^`]+)`/g, (quoted, part) => (String(value.value).includes(part) ? `\`${origin}\`` : quoted));
  return { ...finding, message: replace(finding.message), hint: finding.hint && replace(finding.hint) };
}

/** What came from a variable, and what stands below the name of a secret, is never shown. */
export function isShown(tree: Tree, pointer: Pointer): boolean {
  const value = find(tree, pointer);
  const fromVariable = value?.kind === 'scalar' && value.origin !== undefined;
  return !fromVariable && !pointer.some((part) => typeof part === 'string' && isSecretName(part));
}

/** Faults as their author reads them, in the order of the file. */
export function toProblems(text: string, faults: readonly (Fault & { severity?: 'warning' | undefined })[]): Problem[] {
  if (faults.length === 0) return [];
  const frame = framer(text);
  const problems = faults.map(({ at, message: told, hint, severity = 'error' }) => {
    const shown = at.line === 0 ? undefined : frame(at.line, at.column);
    const message = maskPasswords(at.line === 0 ? `${at.file}: ${told}` : told);
    return {
      severity: severity as Problem['severity'],
      ...at,
      message,
      ...(hint !== undefined && { hint }),
      ...(shown !== undefined && { frame: shown }),
    };
  });
  return withoutEchoes(problems).sort((one, other) => one.line - other.line || one.column - other.column);
}

/** What is wrong below an anchor is wrong below each of its aliases: once is enough. */
function withoutEchoes(problems: readonly Problem[]): Problem[] {
  const told = new Map(problems.map((problem) => [`${problem.line}:${problem.column} ${problem.message}`, problem]));
  return [...told.values()];
}

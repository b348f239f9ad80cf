import { isMeasured } from './check/measured.ts';
import { tap } from './tap.ts';

const isTest = (word: string) => word.endsWith('.test.ts');

/**
 * tap over the files that `words` name. Those that judge time or memory run alone, after the others. Words that name no file
 * are options of tap, for both groups. Its exit status: a failure where either failed.
 */
export function inGroups(words: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const files = words.filter(isTest);
  const options = words.filter((word) => !isTest(word));
  const others = files.filter((file) => !isMeasured(file));
  const alone = files.filter(isMeasured);
  const statuses = [
    others.length > 0 ? tap([...options, ...others], env) : 0,
    alone.length > 0 ? tap([...options, '--jobs=1', ...alone], env) : 0,
  ];
  return statuses.find((status) => status !== 0) ?? 0;
}

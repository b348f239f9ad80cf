import { runsAlone } from './check/measured.ts';
import { tap } from './tap.ts';

const isTest = (word: string) => word.endsWith('.test.ts');

/**
 * Runs tap over the files that `words` name, each in its own process. Files that must run alone run one by one, after
 * the others. Other words are options of tap, for both groups. Returns the exit status: a failure if either group failed.
 */
export function inGroups(words: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const files = words.filter(isTest);
  const options = words.filter((word) => !isTest(word));
  const others = files.filter((file) => !runsAlone(file));
  const alone = files.filter(runsAlone);
  const statuses = [
    others.length > 0 ? tap([...options, ...others], env) : 0,
    alone.length > 0 ? tap([...options, '--jobs=1', ...alone], env) : 0,
  ];
  return statuses.find((status) => status !== 0) ?? 0;
}

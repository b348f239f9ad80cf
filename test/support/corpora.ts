import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of shared test data, which a user's clone does not contain. */
export const corpusFolder = fileURLToPath(new URL('../../../shared/corpora/', import.meta.url));

/** For `t.test(title, { skip }, …)`: false, or the reason why a test that reads a corpus is skipped. */
export const skip: false | string = existsSync(corpusFolder) ? false : 'corpora not present';

/** The text of one file, by its path below the folder. */
export function corpus(path: string): string {
  return readFileSync(corpusFolder + path, 'utf8');
}

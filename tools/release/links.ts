import { posix } from 'node:path';
import type { Names } from './names.ts';

export interface LinkOptions {
  /** The file with the links, as a path in the repository. */
  readonly file: string;
  readonly version: string;
  readonly names: Names;
  /** Whether a path of the repository is next to the file in each place where the text is published. */
  readonly isHere: (path: string) => boolean;
}

/** A link in Markdown: the text before the target, the target, and its anchor. */
const LINK = /(\]\()(?![a-z]+:|#)([^)\s#]+)((?:#[^)\s]*)?\))/g;

/**
 * Markdown whose links work outside the repository: a link to a file that is not there leads to the tag on the forge.
 */
export function withWorkingLinks(text: string, { file, version, names, isHere }: LinkOptions): string {
  return text.replace(LINK, (link, before: string, target: string, after: string) => {
    const path = posix.normalize(posix.join(posix.dirname(file), target));
    return isHere(path) ? link : `${before}${names.home}/blob/v${version}/${path}${after}`;
  });
}

import { posix } from 'node:path';
import type { Names } from './names.ts';

export interface LinkOptions {
  /** The file with the links, as a path in the repository. */
  readonly file: string;
  readonly version: string;
  readonly names: Names;
  /** Whether a path of the repository is beside the file wherever the text will be. */
  readonly isHere: (path: string) => boolean;
}

/** A link in Markdown: the text before the target, the target, and its anchor. */
const LINK = /(\]\()(?![a-z]+:|#)([^)\s#]+)((?:#[^)\s]*)?\))/g;

/** Markdown whose links work outside of the repository: each that leads to a file which is not there names the tag on the forge. */
export function withWorkingLinks(text: string, { file, version, names, isHere }: LinkOptions): string {
  return text.replace(LINK, (link, before: string, target: string, after: string) => {
    const path = posix.normalize(posix.join(posix.dirname(file), target));
    return isHere(path) ? link : `${before}${names.home}/blob/v${version}/${path}${after}`;
  });
}

// Where a link of a Markdown page leads on the site. The pages are written for a forge: links are relative paths of
// files.
import { posix } from 'node:path';

const { dirname, join, relative } = posix;

/** A link to another file of the repository. */
export interface FileLink {
  /** From the root of the repository. */
  readonly path: string;
  /** With its `#`, or empty. */
  readonly fragment: string;
}

const OUTSIDE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
const PICTURE = /\.(?:svg|png)$/;

/** Undefined: the link leads to another site, or to a heading of the same page. */
export function fileLink(page: string, href: string): FileLink | undefined {
  if (OUTSIDE.test(href)) return undefined;
  const [target = '', ...fragments] = href.split('#');
  const path = join(dirname(page), decodeURI(target)).replace(/\/$/, '');
  return { path, fragment: fragments.map((each) => `#${each}`).join('') };
}

/**
 * A file that is neither a page nor a picture is served as plain text, whatever its extension.
 * @param isFolder whether a path of the repository is a folder.
 */
export function sitePath(path: string, isFolder: (path: string) => boolean): string {
  if (isFolder(path)) return join(path, 'index.md');
  if (path.endsWith('.md')) return path.replace(/(^|\/)README\.md$/, '$1index.md');
  return PICTURE.test(path) ? path : `${path}.txt`;
}

/** The same link for the copy of the page on the site. A link that leads elsewhere does not change. */
export function siteHref(page: string, href: string, isFolder: (path: string) => boolean): string {
  const link = fileLink(page, href);
  if (link === undefined) return href;
  const to = sitePath(link.path, isFolder);
  const from = dirname(sitePath(page, isFolder));
  const path = relative(from, to);
  return `${path.startsWith('.') ? path : `./${path}`}${link.fragment}`;
}

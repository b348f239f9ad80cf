// Checks a built site as a browser reads it: every link and picture leads to a file of the site, every fragment to an
// element with that id, and nothing loads from another site.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const REFERENCE = /<(a|link|script|img|source|iframe)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const ID = /\sid="([^"]+)"/g;
const CSS_URL = /(?:url\(\s*["']?|@import\s+["'])((?:https?:)?\/\/[^"')]+)/g;
const ELSEWHERE = /^(?:https?:)?\/\//;

/**
 * What is wrong with the files below a folder, a line each. `base`: the path at which the site is served, with both
 * slashes.
 */
export function siteFaults(folder: string, base: string): readonly string[] {
  const idsOf = idsBelow(folder);
  const pages = globSync('**/*.html', { cwd: folder }).sort();
  const styles = globSync('**/*.css', { cwd: folder }).sort();
  return [
    ...pages.flatMap((page) => pageFaults(page, { folder, base, idsOf })),
    ...styles.flatMap((style) => cssFaults(style, readFileSync(join(folder, style), 'utf8'))),
  ];
}

interface Site {
  readonly folder: string;
  readonly base: string;
  readonly idsOf: (page: string) => ReadonlySet<string>;
}

/** Each page is read once. */
function idsBelow(folder: string): Site['idsOf'] {
  const known = new Map<string, ReadonlySet<string>>();
  return (page) => {
    const ids = known.get(page) ?? new Set(references(readFileSync(join(folder, page), 'utf8'), ID));
    known.set(page, ids);
    return ids;
  };
}

function references(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => decoded(found));
}

function decoded(value: string): string {
  return value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

function pageFaults(page: string, site: Site): readonly string[] {
  const text = readFileSync(join(site.folder, page), 'utf8');
  const found = [...text.matchAll(REFERENCE)].flatMap(([, tag = '', value = '']) => {
    const fault = referenceFault(page, tag, decoded(value), site);
    return fault === undefined ? [] : [`${page}: ${decoded(value)}: ${fault}`];
  });
  return [...new Set([...found, ...cssFaults(page, text)])];
}

function cssFaults(file: string, text: string): readonly string[] {
  return references(text, CSS_URL).map((url) => `${file}: ${url}: is loaded from elsewhere`);
}

function referenceFault(page: string, tag: string, value: string, site: Site): string | undefined {
  if (ELSEWHERE.test(value)) return tag === 'a' ? undefined : 'is loaded from elsewhere';
  if (/^(?:data|mailto):/.test(value)) return undefined;
  const { pathname, hash } = new URL(value, `http://site.invalid${site.base}${page}`);
  if (!pathname.startsWith(site.base)) return `is outside of ${site.base}`;
  const file = fileAt(site.folder, decodeURI(pathname.slice(site.base.length)));
  if (file === undefined) return 'has no file';
  const id = decodeURIComponent(hash.slice(1));
  return id === '' || site.idsOf(file).has(id) ? undefined : `has no heading ${hash}`;
}

function fileAt(folder: string, path: string): string | undefined {
  const file = path === '' || path.endsWith('/') ? posix.join(path, 'index.html') : path;
  return existsSync(join(folder, file)) ? file : undefined;
}

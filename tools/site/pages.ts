// Which files of the repository the site shows: README.md, everything in docs/, and each file that these link to.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './place.ts';
import { fileLink } from './vitepress/links.ts';

const FENCE = /^( *)(```|~~~).*\n[\s\S]*?^\1\2[ \t]*$/gm;
const LINK = /\]\(([^)\s]+)\)/g;

/** Whether a path from the root of the repository is a folder. */
export const isFolder = (path: string): boolean => {
  const file = join(root, path);
  return existsSync(file) && statSync(file).isDirectory();
};

/** What the links of a page lead to, by a path from the root of the repository. */
function linkedFrom(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8')
    .replace(FENCE, '')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(LINK)].flatMap(([, href = '']) => fileLink(page, href)?.path ?? []);
}

/** In order, each once: files, and folders without a README.md. Throws for a link that leads nowhere. */
export function shownPaths(): readonly string[] {
  const shown = new Set(['README.md', ...globSync('docs/**/*.{md,svg,png}', { cwd: root }).sort()]);
  // A loop over a set also visits items that are added during the loop.
  for (const page of shown)
    if (page.endsWith('.md')) for (const path of linkedFrom(page)) shown.add(shownFor(page, path));
  return [...shown].sort();
}

/** A folder is shown by its README.md if it has one. */
function shownFor(page: string, path: string): string {
  if (!existsSync(join(root, path))) throw new Error(`${page} links to ${path}, which does not exist.`);
  const index = join(path, 'README.md');
  return isFolder(path) && existsSync(join(root, index)) ? index : path;
}

// Copies what the site shows into the folder that the generator reads. Markdown stays unchanged. Other files that a
// page links to are served as plain text: showing each as a page of code took three times as long as all pages.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { isFolder, shownPaths } from './pages.ts';
import { place, root, tool } from './place.ts';
import { groupsOf, type SidebarGroup } from './sidebar.ts';
import { fileLink, sitePath } from './vitepress/links.ts';

export interface Settings {
  /** The path at which the site is served, with both slashes, such as `/gatehouse/`. */
  readonly base: string;
  /** The folder that gets the site, absolute. Existing contents are deleted. */
  readonly outDir: string;
}

const pages = join(place, 'pages');
const generator = join(place, '.vitepress');

/** Writes the pages and the generator's configuration. Throws for a link whose file is missing. */
export function stage(settings: Settings): void {
  for (const folder of [pages, generator]) rmSync(folder, { recursive: true, force: true });
  cpSync(join(tool, 'vitepress'), generator, { recursive: true });
  writeFileSync(join(generator, 'settings.json'), JSON.stringify({ ...settings, sidebar: sidebar() }));
  for (const path of shownPaths()) put(path);
}

/** The index of the documentation, and after it the index of the decisions. */
export function sidebar(): readonly SidebarGroup[] {
  const decisions = groups('docs/decisions/README.md').map((group) => ({ ...group, collapsed: true }));
  return [...groups('docs/README.md'), ...decisions];
}

function groups(page: string): readonly SidebarGroup[] {
  return groupsOf(readFileSync(join(root, page), 'utf8'), (href) => {
    const { path = '', fragment = '' } = fileLink(page, href) ?? {};
    return `/${sitePath(path, isFolder)
      .replace(/(^|\/)index\.md$/, '$1')
      .replace(/\.md$/, '.html')}${fragment}`;
  });
}

function put(path: string): void {
  const shown = sitePath(path, isFolder);
  const copy = join(pages, shown.endsWith('.txt') ? 'public' : '', shown);
  mkdirSync(dirname(copy), { recursive: true });
  if (isFolder(path)) writeFileSync(copy, pageOfFolder(path, globSync('*.md', { cwd: join(root, path) }).sort()));
  else cpSync(join(root, path), copy);
}

/** A folder without README.md: its pages by title, as a forge lists its files. */
function pageOfFolder(folder: string, names: readonly string[]): string {
  const items = names.map((name) => {
    const [, title = name] = /^# (.+)$/m.exec(readFileSync(join(root, folder, name), 'utf8')) ?? [];
    return `- [${title}](${name})`;
  });
  return `---\nsearch: false\n---\n\n# ${posix.basename(folder)}\n\n${items.join('\n')}\n`;
}

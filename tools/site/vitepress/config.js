// The generator's configuration. tools/site/stage.ts copies this folder beside the pages and writes settings.json.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';
import { siteHref } from './links.ts';

const here = import.meta.dirname;
const pages = join(here, '../pages');
const { base, outDir, sidebar } = JSON.parse(readFileSync(join(here, 'settings.json'), 'utf8'));

/** For staged pages: the site shows a folder of the repository by its index. */
const isFolder = (path) => existsSync(join(pages, path, 'index.md')) && statSync(join(pages, path)).isDirectory();

/**
 * Links of the pages are paths of the repository. The site has other paths for README.md, folders, and files that are
 * not pages.
 */
function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = env.relativePath.replace(/(^|\/)index\.md$/, '$1README.md');
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', siteHref(page, href, isFolder));
    }
  });
}

export default defineConfig({
  title: 'Gatehouse',
  description: 'OAuth 2.0 in front of an API that does not support it',
  lang: 'en-US',
  base,
  outDir,
  srcDir: 'pages',
  // Pages name addresses of the demo. Every other dead link ends the build.
  ignoreDeadLinks: 'localhostLinks',
  // Without an icon, each visit would request one that does not exist.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // The highlighter does not know these languages.
    languageAlias: { caddyfile: 'nginx', conf: 'ini' },
    // A heading has the same anchor as on a forge.
    anchor: { slugify: slug },
    // `{name}` after a heading is a path template, not an attribute.
    attrs: { disable: true },
    config(md) {
      // Only a full URL is a link, as on a forge.
      md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
      repositoryLinks(md);
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

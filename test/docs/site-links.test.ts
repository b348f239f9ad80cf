import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { siteFaults } from '../../tools/site/check-site.ts';
import { groupsOf } from '../../tools/site/sidebar.ts';
import { sidebar } from '../../tools/site/stage.ts';
import { siteHref } from '../../tools/site/vitepress/links.ts';

const isFolder = (path: string) => path === 'docs' || path === 'docs/decisions';

t.test('a link between files of the repository leads to the same content on the site', async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['docs/a.md', 'b.md', './b.md'],
    ['docs/a.md', 'cookbook/b.md#part', './cookbook/b.md#part'],
    ['docs/a.md', '../SECURITY.md', '../SECURITY.md'],
    ['docs/a.md', '../bench/README.md#part', '../bench/index.md#part'],
    ['docs/README.md', 'decisions', './decisions/index.md'],
    ['docs/README.md', 'decisions/', './decisions/index.md'],
    ['README.md', 'docs/README.md', './docs/index.md'],
    ['docs/a.md', '../config/gateway.yaml', '../config/gateway.yaml.txt'],
    ['docs/a.md', '../LICENSE', '../LICENSE.txt'],
    ['docs/a.md', 'pictures/a.svg', './pictures/a.svg'],
  ];
  for (const [page, href, expected] of rows) t.equal(siteHref(page, href, isFolder), expected, `${page} ${href}`);
});

t.test('a link to another site or to a heading of its page does not change', async (t) => {
  for (const href of ['https://a.example/b.md', '//a.example', 'mailto:a@a.example', '#part'])
    t.equal(siteHref('docs/a.md', href, isFolder), href);
});

t.test('the sidebar has a group for each table of the index, in its order', async (t) => {
  const index =
    '| one | |\n|---|---|\n| [A](a.md), [b](b.md) | see [C](c.md) |\n\n| two | |\n|---|---|\n| [D](d.md) | |\n';
  t.strictSame(
    groupsOf(index, (href) => `/${href}`),
    [
      {
        text: 'One',
        items: [
          { text: 'A', link: '/a.md' },
          { text: 'B', link: '/b.md' },
        ],
      },
      { text: 'Two', items: [{ text: 'D', link: '/d.md' }] },
    ],
  );
});

t.test('the sidebar of this repository links only to pages of the site', async (t) => {
  const links = sidebar().flatMap(({ items }) => items.map(({ link }) => link));
  t.ok(links.length > 60, `${links.length} links`);
  for (const link of links) t.match(link, /^\/[\w/.-]+(\.html|\/)$/);
  t.ok(links.includes('/docs/decisions/'));
  t.ok(links.includes('/bench/'));
});

/** A site of two pages. @returns its folder. */
function site(t: Test, body: string): string {
  const folder = t.testdir({ 'index.html': body, 'style.css': 'a { color: red }' });
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/a.html'), '<h2 id="part">Part</h2>');
  return folder;
}

t.test('a link without a file or a heading, and a resource from elsewhere, are faults of a site', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['<a class="x" href="/base/docs/b.html">', 'has no file'],
    ['<a class="x" href="docs/b.html">', 'has no file'],
    ['<a class="x" href="/base/docs/a.html#other">', 'has no heading #other'],
    ['<a class="x" href="/docs/a.html">', 'is outside of /base/'],
    ['<script async src="https://cdn.example/a.js">', 'is loaded from elsewhere'],
    ['<img alt="" src="//cdn.example/a.png">', 'is loaded from elsewhere'],
    ['<style>a { background: url(https://cdn.example/a.png) }</style>', 'is loaded from elsewhere'],
  ];
  for (const [body, fault] of rows)
    await t.test(body, async (t) => {
      const faults = siteFaults(site(t, body), '/base/');
      t.equal(faults.length, 1);
      t.ok(faults[0]?.endsWith(fault), String(faults[0]));
    });
});

t.test('links to other sites, to headings and to folders of a site are fine', async (t) => {
  const body = ['https://a.example/', '/base/', '/base/docs/a.html#part', 'data:,', 'mailto:a@a.example']
    .map((href) => `<a class="x" href="${href}">x</a>`)
    .join('');
  t.strictSame(siteFaults(site(t, body), '/base/'), []);
});

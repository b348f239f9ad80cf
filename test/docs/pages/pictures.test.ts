import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { chunksOf } from '../../../tools/pictures/png.ts';
import { browserOf, skipWithoutBrowser as skip } from '../../support/browser.ts';
import { root } from './blocks.ts';

const openPage = browserOf(t);
const folder = `${root}docs/pictures/`;
const every = readdirSync(folder);
const pictures = every.filter((name) => name.endsWith('.svg'));
const photos = every.filter((name) => name.endsWith('.png'));
const textOf = (picture: string) => readFileSync(folder + picture, 'utf8');

const shownBy = [
  ...['README.md', 'docs/concepts.md', 'docs/console.md', 'docs/quick-start.md'],
  ...['kubernetes-sidecar', 'behind-nginx', 'authorization-service'].map((name) => `docs/cookbook/${name}.md`),
];

t.test('pictures are SVG or PNG, and a page shows each, with a text for those who do not see it', async (t) => {
  t.equal(pictures.length, 5);
  t.equal(photos.length, 10);
  t.equal(every.length, 15);
  const pages = shownBy.map((page) => readFileSync(root + page, 'utf8')).join('');
  const markdown = pages.matchAll(/!\[([^\]]+)\]\([./]*(?:docs\/)?pictures\/([\w.-]+)\)/g);
  const html = pages.matchAll(/<picture>.*?alt="([^"]+)"><\/picture>/g);
  const texts = new Map([...markdown].map(([, text = '', name]) => [name, text]));
  for (const [element, text = ''] of html)
    for (const [, name] of element.matchAll(/pictures\/([\w.-]+)"/g)) texts.set(name, text);
  for (const name of every) t.ok((texts.get(name)?.split(' ').length ?? 0) > 6, name);
});

const KIB = 1024;

for (const photo of photos)
  t.test(`${photo} is a small PNG, and says nothing about the machine that made it`, async (t) => {
    const png = readFileSync(folder + photo);
    t.ok(png.length <= 120 * KIB, `${png.length} bytes`);
    t.strictSame(
      chunksOf(png).map(({ type }) => type),
      ['IHDR', 'PLTE', 'IDAT', 'IEND'],
    );
  });

t.test('all PNG together have at most 1.2 MB', async (t) => {
  t.ok(photos.reduce((sum, photo) => sum + statSync(folder + photo).size, 0) <= 1_200_000);
});

for (const picture of pictures)
  t.test(`${picture} fetches nothing, runs nothing, and describes in words what it shows`, async (t) => {
    const text = textOf(picture);
    t.match(text, /role="img" aria-labelledby="title desc"/);
    t.match(text, /<title id="title">\S/);
    t.ok((/<desc id="desc">([^<]+)/.exec(text)?.[1]?.length ?? 0) > 100);
    t.notMatch(
      text.replace('xmlns="http://www.w3.org/2000/svg"', ''),
      /https?:|@import|@font-face|<script|<image|<foreignObject|href=/,
    );
  });

/** An element as the browser draws it. */
interface Drawn {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly fill: string;
  readonly text: string;
}

type Picture = Readonly<Record<'texts' | 'boxes' | 'grounds', readonly Drawn[]>> & { readonly paper: Drawn };

const measure = `(() => {
  const drawn = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom, fill: getComputedStyle(element).fill, text: element.textContent };
  };
  const all = (selector) => [...document.querySelectorAll(selector)].map(drawn);
  const [paper] = all('rect.paper');
  return { texts: all('text'), boxes: all('rect:not(.paper)'), grounds: all('rect.paper, rect.box'), paper };
})()`;

const isInside = (one: Drawn, other: Drawn) =>
  one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;
const meets = (one: Drawn, other: Drawn) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Relative luminance, of WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((each) => {
    const part = Number(each) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** Texts that leave the picture, cross an edge, overlap another text, or are hardly readable. */
function faults({ texts, boxes, grounds, paper }: Picture) {
  const named = (isFault: (text: Drawn, index: number) => boolean) => texts.filter(isFault).map(({ text }) => text);
  return {
    outside: named((text) => !isInside(text, paper)),
    crossing: named((text) => boxes.some((box) => meets(text, box) && !isInside(text, box))),
    over: named((text, index) => texts.slice(index + 1).some((other) => meets(text, other))),
    faint: named(({ fill }) => grounds.some((ground) => contrast(fill, ground.fill) < 4.5)),
  };
}

async function drawn(page: Page, picture: string): Promise<Picture> {
  await page.setContent(`<!doctype html><body style="margin:0">${textOf(picture)}`);
  return page.evaluate<Picture>(measure);
}

for (const colorScheme of ['light', 'dark'] as const)
  t.test(`in a browser: every text of the pictures is readable, ${colorScheme}`, { skip }, async (t) => {
    const page = await openPage(t, { colorScheme, viewport: { width: 1100, height: 500 } });
    for (const picture of pictures) {
      const seen = await drawn(page, picture);
      t.ok(seen.texts.length > 8);
      t.strictSame(faults(seen), { outside: [], crossing: [], over: [], faint: [] }, picture);
      t.equal(
        seen.paper.fill,
        colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(13, 17, 23)',
        'on a ground of its own',
      );
    }
  });

import t from 'tap';
import { contrast } from '../../../src/authorization/pages/contrast.ts';
import { assetHeaders, logoAsset, stylesheetAsset } from '../../../src/authorization/pages/pages.ts';
import { stylesheet } from '../../../src/authorization/pages/stylesheet.ts';
import { parseColor, type Rgb } from '../../../src/config/schema/theme.ts';
import fc from '../../support/properties.ts';

/** The variables of both schemes, light first. */
function schemes(css: string): readonly Readonly<Record<string, string>>[] {
  return [...css.matchAll(/:root \{([^}]*)\}/g)]
    .slice(0, 2)
    .map(([, body = '']) =>
      Object.fromEntries([...body.matchAll(/(--[a-z-]+): ([^;]*);/g)].map(([, name, value]) => [name, value])),
    );
}

/** Which color is on which, and the contrast that it needs (WCAG 2.2 §1.4.3, §1.4.11). */
const pairs: readonly (readonly [front: string, ground: string, ratio: number])[] = [
  ['--text', '--surface', 4.5],
  ['--muted', '--surface', 4.5],
  ['--danger', '--surface', 4.5],
  ['--accent-ink', '--surface', 4.5],
  ['--on-accent', '--accent', 4.5],
  ['--accent-edge', '--surface', 3],
  ['--border', '--surface', 3],
];

function faults(css: string): readonly string[] {
  const color = (text: string | undefined): Rgb => parseColor(text ?? '') ?? [1, 2, 3];
  return schemes(css).flatMap((scheme) =>
    pairs
      .filter(([front, ground, ratio]) => contrast(color(scheme[front]), color(scheme[ground])) < ratio)
      .map(([front, ground]) => `${front} ${scheme[front]} on ${ground} ${scheme[ground]}`),
  );
}

t.test('contrast is computed as WCAG 2.2 defines it', async (t) => {
  t.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  t.equal(contrast([255, 255, 255], [118, 118, 118]).toFixed(2), '4.54');
  t.equal(contrast([7, 7, 7], [7, 7, 7]), 1);
});

t.test('the default colors are readable in both schemes', async (t) => {
  const css = stylesheet();
  t.equal(schemes(css).length, 2);
  t.strictSame(faults(css), []);
  t.match(css, '--accent: #0b5cad;');
  t.match(css, '--muted: #536271;', 'not moved');
});

t.test('any theme is readable, in both schemes', async (t) => {
  const color = fc
    .tuple(...[1, 2, 3].map(() => fc.integer({ min: 0, max: 255 })))
    .map((rgb) => `rgb(${rgb.join(' ')})`);
  const names = ['--accent', '--surface', '--text', '--muted', '--border', '--danger', '--background'];
  const theme = fc.dictionary(fc.constantFrom(...names), color, { minKeys: 1 });
  fc.assert(fc.property(theme, (values) => faults(stylesheet(values)).length === 0));
  t.strictSame(faults(stylesheet({ '--accent': '#ff0', '--surface': '#fff' })), []);
});

t.test('a button has the configured accent color', async (t) => {
  for (const scheme of schemes(stylesheet({ '--accent': '#ffd43b' }))) t.equal(scheme['--accent'], '#ffd43b');
  const [light, dark] = schemes(stylesheet({ '--accent': 'light-dark(#06c, #6af)' }));
  t.strictSame([light?.['--accent'], dark?.['--accent']], ['#0066cc', '#66aaff']);
});

t.test('valid lengths and fonts reach the stylesheet; invalid ones do not', async (t) => {
  const css = stylesheet({ '--radius': '2px', '--font': '"Acme Sans", serif', '--accent': 'red; } * { display: none' });
  for (const line of ['--radius: 2px;', '--font: "Acme Sans", serif;', '--accent: #0b5cad;']) t.match(css, line);
  t.notMatch(css, 'red;');
  t.equal(stylesheet({ '--unknown': '#06c', constructor: '#06c' }), stylesheet());
});

t.test('the stylesheet loads nothing from elsewhere, and uses no side that a right-to-left page swaps', async (t) => {
  const css = stylesheet();
  t.notMatch(css, /url\(|@import|@font-face/);
  t.notMatch(
    css,
    /\b(?:margin|padding|border|inset)-(?:left|right|top|bottom)|text-align: (?:left|right)|[^-]width: \d/,
  );
  t.equal(css.split('{').length, css.split('}').length);
});

t.test('the name of an asset changes only with its contents', async (t) => {
  t.match(stylesheetAsset().path, /^\/oauth2\/assets\/style\.[A-Za-z0-9_-]{16}\.css$/);
  t.equal(stylesheetAsset().path, stylesheetAsset().path);
  t.not(stylesheetAsset().path, stylesheetAsset({ '--radius': '0' }).path);
  t.match(stylesheetAsset({}, '/a').path, /^\/a\/style\./);
});

t.test('the type of the logo is detected from its bytes', async (t) => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
  const told = (text: string) => logoAsset(Buffer.from(text))?.type;
  t.match(logoAsset(png)?.path, /^\/oauth2\/assets\/logo\.[A-Za-z0-9_-]{16}\.png$/);
  t.equal(logoAsset(png)?.type, 'image/png');
  t.equal(logoAsset(png)?.body, png);
  t.equal(told('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
  t.equal(told('\ufeff<?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE svg PUBLIC "a" "b">\n<svg>'), 'image/svg+xml');
  for (const text of ['', '<html><svg>', 'GIF89a', '<svgx>', 'svg']) t.equal(told(text), undefined, text);
});

t.test('an SVG that is opened directly runs no script', async (t) => {
  t.match(assetHeaders['content-security-policy'], /default-src 'none'.*; sandbox$/);
  t.equal(assetHeaders['x-content-type-options'], 'nosniff');
});

import t from 'tap';
import { html } from '../../../src/authorization/pages/html.ts';
import fc from '../../support/properties.ts';
import { dressed, hostile } from './dressed.ts';
import { site } from './samples.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('<', '>', '"', "'", '&', '`', '=', '/', '\0', '\r', '\ud800', 'script', '-->'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

const decoded = (markup: string) => markup.replace(/&#([0-9]+);/g, (_, code) => String.fromCharCode(Number(code)));

/** Names of tags and attributes, without values and text. */
const skeleton = (page: string) => page.replace(/="[^"]*"/g, '').match(/<[^>]*>/g);

t.test('interpolated text contains no markup for a parser, and reads back unchanged', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      const markup = html`${text}`.toString();
      return !/[<>"'`\r\0]/.test(markup) && decoded(markup) === text.toWellFormed().replaceAll('\0', '\ufffd');
    }),
  );
  t.equal(html`<a title="${'"&amp;'}">`.toString(), '<a title="&#34;&#38;amp;">');
});

t.test('markup inside markup stays markup, lists are joined, and an absent value is empty', async (t) => {
  const inner = html`<b>${'<'}</b>`;
  t.equal(html`${inner}${[inner, 1, 'a&']}${undefined}${false}${0}`.toString(), `${inner}${inner}1a&#38;0`);
});

t.test('only a template creates markup: an object that imitates it is text', async (t) => {
  const forged: unknown = { toString: () => '<script>', markup: '<script>' };
  t.notMatch(html`${String(forged)}`.toString(), '<script>');
  t.equal(Reflect.ownKeys(html``).length, 0, 'what it holds cannot be set from outside');
});

t.test('no text by others changes the tags of a page', async (t) => {
  const tags = (text: string, uri?: string) => dressed(site, text, uri).map(skeleton);
  const quiet = JSON.stringify(tags('quiet'));
  for (const text of hostile) t.equal(JSON.stringify(tags(text)), quiet, text);
  fc.assert(fc.property(anyText, fc.webUrl(), (text, uri) => JSON.stringify(tags(text, uri)) === quiet));
});

import t from 'tap';
import { prefersHtml } from '../../../src/authorization/http/accept.ts';

t.test('only a caller that names text/html, and prefers it to JSON, gets a page', async (t) => {
  const rows: readonly (readonly [accept: string | undefined, html: boolean])[] = [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    ['text/html', true],
    ['TEXT/HTML; q=0.1', true],
    ['application/json;q=0.5, text/html', true],
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/*', false],
    ['application/json, text/plain, */*', false],
    ['application/json, text/html;q=0.9', false],
    ['application/problem+json, text/html;q=0.9', false],
    ['text/html;q=0', false],
    ['text/html;q=x', false],
    [';q=1,,', false],
  ];
  for (const [accept, html] of rows) t.equal(prefersHtml(accept), html, accept ?? 'absent');
});

import t from 'tap';
import { parseDocument } from 'yaml';
import { findSlips } from '../../../src/config/yaml/unquoted-braces.ts';

function timesParsed(text: string): number {
  let times = 0;
  findSlips(text, (each) => {
    times++;
    return { document: parseDocument(each, { prettyErrors: false }) };
  });
  return times;
}

t.test('a text is parsed once, and once more for each typing error', async (t) => {
  t.equal(timesParsed('routes: [{ match: { path: "/orders/{id}" } }]\n'), 1);
  t.equal(timesParsed('routes: [{ match: { path: /orders/{id} } }, { match: { path: /users/{id} } }]\n'), 3);
});

import t from 'tap';
import { parseKeptJson } from '../../../src/gateway/mcp/kept-json.ts';
import fc, { tries } from '../../support/properties.ts';

const again = (text: string) => JSON.stringify(parseKeptJson(text));

t.test('every number keeps its text', async (t) => {
  for (const text of ['1', '-0', '1.0', '1e2', '1E+2', '0.10', '12345678901234567890', '1e400', '-1.5e-400', '0e0'])
    t.equal(again(`{"a":[${text}]}`), `{"a":[${text}]}`);
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?$/);
  const holds = fc.property(digits, (text) => again(`[${text},{"x":${text}}]`) === `[${text},{"x":${text}}]`);
  fc.assert(holds, tries(300, 30_000));
});

t.test('other values are those of JSON.parse', async (t) => {
  const holds = fc.property(fc.json(), (text) => {
    const normal = JSON.stringify(JSON.parse(text));
    return JSON.stringify(JSON.parse(again(text))) === normal;
  });
  fc.assert(holds, tries(300, 30_000));
  t.pass();
});

t.test('names that JavaScript treats in a special way are kept', async (t) => {
  for (const text of ['{"__proto__":{"a":1}}', '{"toJSON":1}', '{"rawJSON":"1"}', '{"constructor":1}', '{"":1}'])
    t.equal(again(text), text);
});

t.test('a text that is not JSON is thrown at the caller', async (t) => {
  for (const text of ['', '{', 'NaN', '{} {}', '\ufeff{}'])
    t.throws(() => parseKeptJson(text), { name: 'SyntaxError' }, text);
});

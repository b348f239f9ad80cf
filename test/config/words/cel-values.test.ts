import t from 'tap';
import { celValue } from '../../../src/config/words/cel-values.ts';
import { compileExpression } from '../../../src/config/words/expression.ts';

t.test('a value without a member called constructor is passed unchanged', async (t) => {
  for (const value of [{ a: { b: [1, { toString: 'x' }] } }, Object.create(null), 'constructor', 7, null, undefined])
    t.equal(celValue(value), value);
});

t.test('a rule can read a member called constructor, and all other members', async (t) => {
  const claims = JSON.parse(
    '{"constructor":"a","list":[{"constructor":{"prototype":1}}],"tenant":"acme","__proto__":"p"}',
  );
  const holds = (text: string) => {
    const expression = compileExpression(text);
    if (typeof expression !== 'function') throw new Error(expression.message);
    return expression({ request: { query: { constructor: 'q', a: '1' } }, identity: { claims } });
  };
  for (const text of [
    'identity.claims.constructor == "a"',
    'identity.claims["__proto__"] == "p"',
    'identity.claims.tenant == "acme" && "tenant" in identity.claims',
    'identity.claims.list[0].constructor.prototype == 1.0',
    'identity.claims.list.exists(each, has(each.constructor))',
    'request.query.a == "1" && !("toString" in request.query) && size(request.query) == 2',
    'request.query.exists(name, name == "constructor")',
    'request.query == {"a": "1"} || has(request.query.constructor)',
  ])
    t.ok(holds(text), text);
  for (const text of ['identity.claims.toString != "a"', 'has(request.query.valueOf)']) t.notOk(holds(text), text);
});

t.test('a value with deeper nesting than any token is an error, which is false', async (t) => {
  let deep: object = { constructor: 1 };
  for (let i = 0; i < 100_000; i++) deep = { a: deep };
  t.equal(celValue(deep), deep);
});

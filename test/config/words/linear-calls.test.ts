import t from 'tap';
import { compileExpression, type Expression } from '../../../src/config/words/expression.ts';
import { executedPatterns } from '../../support/executed-patterns.ts';
import { growth } from '../../support/growth.ts';
import { redosPatterns } from '../redos-patterns.ts';

function compiled(text: string): Expression {
  const expression = compileExpression(text);
  if (typeof expression !== 'function') throw new Error(expression.message);
  return expression;
}

const matching = (pattern: string): Expression => compiled(`request.text.matches(${JSON.stringify(pattern)})`);

const SHORT = 4 * 1024;
const TIMES = 16;
/** A cost that grows with the square of the length gives 256. */
const BOUND = 2 * TIMES;

t.test('there are enough patterns', async (t) => {
  t.ok(redosPatterns.length >= 21);
});

for (const { from, pattern, subject } of redosPatterns) {
  t.test(`${TIMES} times the subject costs at most ${BOUND} times the time: ${pattern} (${from})`, async (t) => {
    const expression = matching(pattern);
    const context = (length: number) => ({ request: { text: subject(length) }, identity: {} });
    const [short, long] = [context(SHORT), context(TIMES * SHORT)];
    t.same([short.request.text.length, long.request.text.length], [SHORT, TIMES * SHORT]);
    const grown = growth(
      () => expression(short),
      () => expression(long),
      TIMES,
    );
    t.ok(grown <= BOUND, `${grown.toFixed(1)} times`);
    t.comment(`${grown.toFixed(1)} times`);
  });
}

t.test("a client's duration is read quickly, however long it is", async (t) => {
  const expression = compiled('duration(request.text) > duration("1s")');
  const holds = (text: string) => expression({ request: { text }, identity: {} });
  t.ok(holds('2s'));
  t.ok(holds('1h30m'));
  const executed = executedPatterns(() => t.notOk(holds('2'.repeat(65_536))));
  t.notOk(
    [...executed].some((source) => source.includes('ns|us')),
    'the library does not look at it',
  );
});

/** Each is true for the request, and the test would find its pattern wherever it became a RegExp. */
const places: readonly [text: string, holds: boolean][] = [
  ['request.text.matches("^marked+$")', true],
  ['!request.text.matches("^marked+$")', false],
  ['"marked".matches(r"mark\\w+")', true],
  ['(request.text).matches("""marked""") && identity.claims.a.matches(\'^marked\')', true],
  ['has(request.text) && request.text.matches("marked") ? true : false', true],
  ['request.list.exists(x, x.matches("^marked$"))', true],
  ['request.list.all(x, x.matches("^marked$"))', false],
  ['request.list.exists_one(x, x.matches("^marked$"))', true],
  ['request.list.map(x, x.matches("^marked$")) == [true, false]', true],
  ['request.list.map(x, x.matches("^marked$"), x) == ["marked"]', true],
  ['request.list.filter(x, x.matches("^marked$")).size() == 1', true],
  ['[request.list].exists(l, l.exists(x, x.matches("^marked$")))', true],
  ['cel.bind(x, request.text, x.matches("marked"))', true],
  ['cel.bind(x, request.text.matches("marked"), x)', true],
  ['{"marked": request.text.matches("marked")}.marked', true],
  ['[request.text.matches("marked")][0]', true],
  ['request.list[request.text.matches("marked") ? 0 : 1] == "marked"', true],
  ['string(request.text.matches("marked")).matches("true|marked")', true],
  ['request.missing.matches("marked")', false],
  ['request.list.matches("marked")', false],
];

t.test('no pattern of an expression becomes a RegExp', async (t) => {
  const variables = { request: { text: 'marked', list: ['marked', 'other'] }, identity: { claims: { a: 'marked' } } };
  for (const [text, holds] of places) {
    const sources = executedPatterns(() => t.equal(compiled(text)(variables), holds, text));
    t.strictSame(
      [...sources].filter((source) => source.includes('mark')),
      [],
      text,
    );
  }
});

t.test('features of RE2 that JavaScript lacks work', async (t) => {
  const holds = (pattern: string, text: string) => matching(pattern)({ request: { text }, identity: {} });
  t.ok(holds('(?i)^ORDER', 'orders'));
  t.ok(holds('^[[:alpha:]]+$', 'abc'));
  t.ok(holds('^\\Qa.b\\E\\z', 'a.b'));
});

const refused: readonly [text: string, message: RegExp, hint: RegExp][] = [
  ['request.path.matches("(?=a)")', /RE2 does not accept the pattern `\(\?=a\)`: invalid or unsupported/, /lookahead/],
  ['request.path.matches("(?<!a)b")', /RE2 does not accept/, /lookbehind/],
  ['request.path.matches("(a)\\\\1")', /invalid escape sequence: `\\1`/, /backreference/],
  ['request.path.matches("[")', /missing closing \]/, /Syntax/],
  ['request.path.matches("a{1001}")', /invalid repeat count/, /Syntax/],
  ['request.path.matches(request.method)', /must be a text in quotes/, /startsWith/],
  ['request.path.matches("^/" + identity.claims.tenant)', /must be a text in quotes/, /write the pattern in quotes/],
  ['request.l.exists(x, request.path.matches(x))', /must be a text in quotes/, /write the pattern in quotes/],
  ['request.l.exists(x, request.path.matches("(?=a)"))', /RE2 does not accept/, /lookahead/],
];

t.test('a pattern that RE2 rejects, or that is only known at a request, is an error at compilation', async (t) => {
  for (const [text, message, hint] of refused) t.match(compileExpression(text), { kind: 'fault', message, hint }, text);
});

t.test('an expression cannot call our replacement functions by their internal names', async (t) => {
  for (const text of ['request.path.linearMatches("a")', 'boundedDuration("1s") == duration("1s")'])
    t.match(compileExpression(text), { kind: 'fault', message: /no matching overload/ }, text);
});

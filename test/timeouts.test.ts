import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

/** Fixtures are no tests of ours: they show what a limit does. */
const files = globSync('test/**/*.ts', { exclude: ['test/fixtures/**'] }).sort();
/** A limit of the file: a separate line, outside of every block. */
const LONGER = /^t\.setTimeout\(/gm;
const WITH_REASON = /^(\/\*\*.*| \*)\*\/\nt\.setTimeout\(|^\/\*\* .* \*\/\nt\.setTimeout\(/gm;

const countOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

t.test('a test file ends within 30 seconds, or says why it needs longer', async (t) => {
  t.match(readFileSync('.taprc', 'utf8'), /^timeout: 30$/m);
  const silent = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return countOf(text, LONGER) !== countOf(text, WITH_REASON);
  });
  t.strictSame(silent, []);
});

/** From the name of a method that makes a test to the function of the test. */
const HEADS = /\bt\w*\.(?:test|before|after|beforeEach|afterEach)\((?:(?!=>|\bfunction\b)[\s\S])*/g;
const TEXTS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** A limit inside the file: an indented call of a test's method, or an option of a test. */
function nestedLimits(text: string): readonly string[] {
  const calls = text.match(/^[ \t]+\w+\.setTimeout\(.*/gm) ?? [];
  const heads = text.replace(TEXTS, "''").match(HEADS) ?? [];
  return [
    ...calls.filter((call) => /^\s+t\w*\./.test(call)),
    ...heads.filter((head) => /[{,]\s*timeout\b\s*[:,}]/.test(head)),
  ].map((each) => each.trim());
}

t.test('only a file has a limit, because the file ends all its tests at its own', async (t) => {
  const nested = files.flatMap((file) => nestedLimits(readFileSync(file, 'utf8')).map((each) => `${file}: ${each}`));
  t.strictSame(nested, []);
});

t.test('this test finds nested limits in each form', async (t) => {
  for (const text of [
    "t.test('a title', { timeout: 600_000 }, async () => {});",
    't.test(\n  `a title`,\n  { skip, timeout: LONG },\n  async (t) => {},\n);',
    "t.test('a title', { skip, timeout }, async () => {});",
    "t.test('a title', async (t) => {\n  t.setTimeout(60_000);\n});",
  ])
    t.equal(nestedLimits(text).length, 1, text);
  const other =
    "t.test('timeout: 5', { skip }, async () => {\n  open({ timeout: 5_000 });\n  socket.setTimeout(9);\n});";
  t.strictSame(nestedLimits(other), []);
});

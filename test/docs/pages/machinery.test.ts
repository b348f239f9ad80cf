import { relative } from 'node:path';
import t, { type Test } from 'tap';
import { blocksOf, root } from './blocks.ts';
import { follow } from './follow.ts';
import { pattern, promised, statementsOf } from './statements.ts';
import { complaints, settingsOf } from './units.ts';

const fence = '```';

/** The page of one test, named from the root. */
function page(t: Test, text: string): string {
  return relative(root, `${t.testdir({ 'page.md': text.replaceAll("'''", fence) })}/page.md`);
}

t.test('a fence without a language, in a list, or without an end is an error with its line', async (t) => {
  for (const text of ["one\n'''\nx\n'''\n", "- one\n  '''sh\n  x\n  '''\n", "one\n'''sh\nx\n"])
    t.throws(() => blocksOf(page(t, text)), /page\.md:2: /, text);
});

t.test('blocks come in order, with the prose before each', async (t) => {
  const found = blocksOf(page(t, "one\n'''sh\na\n'''\ntwo\n'''text\nb\n'''\n"));
  t.match(found, [
    { language: 'sh', text: 'a\n', prose: 'one' },
    { language: 'text', text: 'b\n', prose: 'two' },
  ]);
});

const unhandled: Readonly<Record<string, readonly [text: string, why: RegExp]>> = {
  'of a language that no test knows': ["'''rust\nx\n'''\n", /no test knows what to do with rust/],
  'that does not say which file it is': ["'''yaml\nversion: 1\n'''\n", /does not say which file/],
  'that changes a file which no block shows': ["'''yaml\n# gateway.yaml: a.b\nc: 1\n'''\n", /shows it whole/],
  'that leaves something running which nobody knows': ["'''sh\nsleep 9 &\n'''\n", /nobody knows when this is ready/],
  'whose file is changed before a command uses it': [
    "'''yaml\n# a.yaml\nx: 1\n'''\n'''yaml\n# a.yaml\nx: 2\n'''\n",
    /no command uses it/,
  ],
};

for (const [what, [text, why]] of Object.entries(unhandled))
  t.test(`a block ${what} makes its page fail`, async (t) => {
    await t.rejects(follow(t, page(t, text)), why);
  });

t.test('lines that belong together are one statement', async (t) => {
  t.strictSame(statementsOf("a b\n\n# c\nd \\\n  e\nf 'g\nh'\nif x; then\n  y\nfi\n"), [
    'a b',
    'd \\\n  e',
    "f 'g\nh'",
    'if x; then\n  y\nfi',
  ]);
  t.throws(() => statementsOf("a 'b\n"), /does not end/);
});

t.test('a comment promises an exit status or an HTTP status', async (t) => {
  t.strictSame(promised('a # exit 1'), { exit: 1 });
  t.strictSame(promised('curl -i x   # 401 no token'), { exit: 0, http: '401' });
  t.strictSame(promised('a'), { exit: 0 });
});

t.test('the expected text must match whole, … matches anything in its line, or any lines', async (t) => {
  t.match('a b c\n', pattern('a … c'));
  t.match('a\nx\ny\nb\n', pattern('a\n…\nb'));
  t.match('a\nb\n', pattern('a\n…\nb'));
  for (const output of ['a\n', 'a\nb\nc\n', 'x\na\nb\n', 'a\nB\n', 'a.b\n'])
    t.notMatch(output, pattern('a\nb'), output);
  t.notMatch('a\nb\n', pattern('a … b'), 'not over lines');
});

t.test('a unit is read line by line, and a line that systemd does not know is reported', async (t) => {
  const unit = '[Unit]\nDescription=x\n\n# y\n[Service]\nExecStart=/opt/x y\n';
  t.strictSame(settingsOf(unit), [
    { section: 'Unit', key: 'Description', value: 'x' },
    { section: 'Service', key: 'ExecStart', value: '/opt/x y' },
  ]);
  for (const bad of ['Description=x\n', '[Unit]\nDescription\n', '[Other]\nA=b\n'])
    t.throws(() => settingsOf(bad), /not a line of a unit/, bad);
  t.equal(complaints('x.service', unit), '');
});

import { PassThrough } from 'node:stream';
import t from 'tap';
import { formatForGithub } from '../../../src/config/files/format.ts';
import { formatProblems, type Problem } from '../../../src/config/load/load.ts';

const problem: Problem = {
  severity: 'error',
  file: 'a,b.yaml',
  line: 3,
  column: 5,
  message: '100% wrong',
  hint: 'did you mean `x`?',
  frame: '    3 | y\n      | ^',
};
const fromVariable: Problem = {
  severity: 'warning',
  file: 'GATEHOUSE__X',
  line: 0,
  column: 0,
  message: 'GATEHOUSE__X: wrong',
};

t.test('a problem shows its place, its message, the line and the hint', async (t) => {
  t.equal(
    formatProblems([problem], new PassThrough()),
    'a,b.yaml:3:5: error: 100% wrong\n    3 | y\n      | ^\n        did you mean `x`?\n',
  );
  t.equal(formatProblems([fromVariable], new PassThrough()), 'environment: warning: GATEHOUSE__X: wrong\n');
});

t.test('only terminals get colour', async (t) => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => true, getColorDepth: () => 8 });
  const before = process.env;
  t.teardown(() => {
    process.env = before;
  });
  process.env = {};
  t.ok(formatProblems([problem], terminal).includes('\u001b['));
  t.notOk(formatProblems([problem], new PassThrough()).includes('\u001b['));
});

t.test('GitHub reads one escaped line for each problem', async (t) => {
  t.equal(formatForGithub([problem]), '::error file=a%2Cb.yaml,line=3,col=5::100%25 wrong (did you mean `x`?)\n');
  t.equal(formatForGithub([fromVariable]), '::warning title=environment::GATEHOUSE__X: wrong\n');
});

import { relative } from 'node:path';
import t, { type Test } from 'tap';
import { runFile } from '../../tools/mutation/run-file.ts';

const begin = "import t from 'tap';\n";

/** The result of a test file with this text, beside a module that counts its imports. */
function run(t: Test, text: string) {
  const module = 'export const state: { count: number } = { count: 0 };\n';
  const directory = t.testdir({ 'a.test.ts': text, 'state.ts': module });
  return runFile(relative(process.cwd(), `${directory}/a.test.ts`));
}

t.test('a passing test file passes, as often as it is run', async (t) => {
  const text = `${begin}import { state } from './state.ts';
    t.test('one', async (t: unknown) => { (t as { equal: Function }).equal(++state.count, 1); });`;
  const directory = t.testdir({ 'a.test.ts': text, 'state.ts': 'export const state = { count: 0 };' });
  const file = relative(process.cwd(), `${directory}/a.test.ts`);
  for (let n = 0; n < 3; n++) t.equal(await runFile(file), undefined, 'with new modules each time');
});

t.test('any failure counts: an assertion, an exception, a rejection, a file that does not load', async (t) => {
  const failing: Readonly<Record<string, string>> = {
    assertion: `${begin}t.test('one', async (t) => { t.equal(1, 2); });`,
    nested: `${begin}t.test('one', async (t) => { await t.test('two', async (t) => { t.ok(false); }); });`,
    later: `${begin}t.test('one', async (t) => t.pass('')); t.test('two', async (t) => t.fail(''));`,
    throw: `${begin}t.test('one', async () => { throw new Error('x'); });`,
    top: `${begin}throw new Error('x');`,
    import: `${begin}import './none.ts';`,
    syntax: `${begin}t.test('one', async () => {`,
    rejection: `${begin}t.test('one', async () => { void Promise.reject(new Error('x')); await new Promise((done) => setTimeout(done, 20)); });`,
  };
  for (const [what, text] of Object.entries(failing)) t.type(await run(t, text), 'string', what);
});

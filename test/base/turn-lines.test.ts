import { execFile } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { turnLines } from '../../src/base/turn-lines.ts';

const module = fileURLToPath(new URL('../../src/base/turn-lines.ts', import.meta.url));

t.test('the lines of one turn are one write, in order, and the next turn is another write', async (t) => {
  const written: string[] = [];
  const lines = turnLines((text) => written.push(text));
  for (const line of ['a\n', 'b\n']) lines.write(line);
  await Promise.resolve().then(() => lines.write('c\n'));
  t.strictSame(written, []);
  await turn();
  t.strictSame(written, ['a\nb\nc\n']);
  lines.write('d\n');
  await turn();
  t.strictSame(written, ['a\nb\nc\n', 'd\n']);
});

t.test('flushed lines are not written again', async (t) => {
  const written: string[] = [];
  const lines = turnLines((text) => written.push(text));
  lines.write('a\n');
  lines.flushSync();
  await turn();
  lines.flushSync();
  t.strictSame(written, ['a\n']);
});

t.test('the last lines of a process are written at its end, also after an exception', async (t) => {
  for (const end of ['process.exit(0)', "throw new Error('a bug')"]) {
    const program = `import { standardOutput } from ${JSON.stringify(module)};
      for (const line of ['a', 'b']) standardOutput().write(line + '\\n');
      ${end};`;
    const ran = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    const { stdout } = await ran.catch((error) => error);
    t.equal(stdout, 'a\nb\n', end);
  }
});

import t from 'tap';
import { isInside, ownProgram } from '../../src/base/own-files.ts';

const programs: readonly (readonly [near: string, program: string, inside: boolean])[] = [
  ['file:///opt/gatehouse/src/supervisor/worker-process.ts', 'file:///opt/gatehouse/src/supervisor/worker.ts', false],
  ['file:///opt/gatehouse/dist/program/chunk-7.js', 'file:///opt/gatehouse/dist/program/worker.js', false],
  ['executable:/dist/program/gatehouse.js', 'executable:/dist/program/worker.js', true],
];

t.test('a program is beside the module that starts it, and has its extension', async (t) => {
  for (const [near, program] of programs) t.equal(ownProgram('worker', near).href, program);
});

t.test('only a URL of the single executable is inside', async (t) => {
  for (const [, program, inside] of programs) t.equal(isInside(new URL(program)), inside, program);
});

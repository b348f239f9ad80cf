import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { lossyOutput } from '../../src/base/lossy-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const module = fileURLToPath(new URL('../../src/base/turn-lines.ts', import.meta.url));

/** A disk with room for so many more bytes. */
function disk() {
  const written: Buffer[] = [];
  const state = { room: 0 };
  const put = (_descriptor: number, bytes: NodeJS.ArrayBufferView, at = 0): number => {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const piece = all.subarray(Number(at), Number(at) + Math.min(state.room, 7));
    if (piece.length === 0) throw new Error('ENOSPC: no space left on device, write');
    state.room -= piece.length;
    written.push(Buffer.from(piece));
    return piece.length;
  };
  return { state, put: put as typeof import('node:fs').writeSync, text: () => Buffer.concat(written).toString() };
}

t.test(
  'text without space on the disk is lost and reported once, and a cut line gets its own line break',
  async (t) => {
    const { state, put, text } = disk();
    const told: string[] = [];
    const write = lossyOutput(1, (line) => told.push(line), put);
    state.room = 12;
    write('whole\n');
    write('cut off here\n');
    write('lost\n');
    t.equal(text(), 'whole\ncut of');
    t.strictSame(told, ['gatehouse: log lines are lost: ENOSPC: no space left on device, write\n']);
    state.room = 1000;
    write('again\n');
    write('and again\n');
    t.equal(text(), 'whole\ncut of\nagain\nand again\n');
    state.room = 0;
    write('lost too\n');
    t.equal(told.length, 2, 'another fault is told too');
    state.room = 1000;
    write('at last\n');
    t.equal(text(), 'whole\ncut of\nagain\nand again\nat last\n');
  },
);

t.test('if standard output is a file, it has every line when the process ends', async (t) => {
  const file = join(temporaryFolder(t), 'log');
  const descriptor = openSync(file, 'a');
  const program = `import { standardOutput } from ${JSON.stringify(module)};
    for (const line of ['a', 'b']) standardOutput().write(line + '\\n');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', descriptor, 'inherit'],
  });
  await once(child, 'close');
  closeSync(descriptor);
  t.equal(readFileSync(file, 'utf8'), 'a\nb\n');
});

t.test('the program keeps running when the reader of its log ends', async (t) => {
  const program = `import { standardOutput } from ${JSON.stringify(module)};
    const timer = setInterval(() => standardOutput().write('line\\n'), 5);
    setTimeout(() => { clearInterval(timer); process.stderr.write('lived'); }, 1000);`;
  const child = execFile(process.execPath, ['--input-type=module', '--eval', program]);
  let told = '';
  child.stderr?.on('data', (chunk) => (told += String(chunk)));
  const closed = once(child, 'close');
  await pause(300);
  child.stdout?.destroy();
  await closed;
  t.match(told, /^lived/);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { lineFile } from '../../src/base/line-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function place(t: Test): string {
  const directory = temporaryFolder(t);
  return join(directory, 'lines');
}

const linesOf = (name: string) => readFileSync(name, 'utf8').trimEnd().split('\n');

/**
 * Whole lines in large pieces, as another program writes them. A read of the file often ends in the middle of a line.
 */
const WRITER = `
  import { openSync, writeSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  const file = openSync(workerData, 'a');
  const piece = Buffer.from(('\u20ac'.repeat(99) + '\\n').repeat(1700));
  for (let count = 0; count < 60; count++) writeSync(file, piece);
`;

t.test('a file that another program is writing gets no cut line and no empty line', async (t) => {
  const name = place(t);
  const writer = new Worker(new URL(`data:text/javascript,${encodeURIComponent(WRITER)}`), { workerData: name });
  let ended = false;
  writer.on('exit', () => {
    ended = true;
  });
  while (!ended) {
    const lines = lineFile(name, systemClock);
    await lines.open();
    await lines.close();
  }
  t.equal(linesOf(name).length, 60 * 1700);
  t.equal(linesOf(name).filter((line) => line.length !== 99).length, 0);
});

t.test("two programs that write many lines into one file cut none of each other's lines", async (t) => {
  const name = place(t);
  const [one, other] = [lineFile(name, systemClock), lineFile(name, systemClock)];
  let lost = 0;
  const lose = () => {
    lost++;
  };
  for (let count = 0; count < 9_000; count++) {
    one.append('a'.repeat(99), lose);
    other.append('\u20ac'.repeat(99), lose);
  }
  await Promise.all([one.close(), other.close()]);
  t.equal(lost, 0);
  const lines = linesOf(name);
  t.equal(lines.length, 18_000);
  t.strictSame(
    lines.filter((line) => !/^(?:a{99}|\u20ac{99})$/.test(line)),
    [],
  );
});

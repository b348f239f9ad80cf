import { stat } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { waitingLine } from '../../src/storage/waiting-line.ts';

t.test('no more than the places are taken, and those that wait come in their order', async (t) => {
  const line = waitingLine(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    await line.enter(5000);
    entered.push(name);
  };
  const all = Promise.all(['a', 'b', 'c', 'd'].map(enter));
  await pause(5);
  t.strictSame(entered, ['a', 'b']);
  line.leave();
  await pause(5);
  t.strictSame(entered, ['a', 'b', 'c']);
  line.leave();
  await all;
  t.strictSame(entered, ['a', 'b', 'c', 'd']);
});

t.test('who waits in vain is told, and holds no place that comes free later', async (t) => {
  const line = waitingLine(1);
  await line.enter(1000);
  await t.rejects(line.enter(10), { message: 'no turn among 1 that wait' });
  line.leave();
  await line.enter(10);
  await t.rejects(line.enter(10), 'the place was given once');
});

t.test('a place that came free while this process was busy is given before the deadline is judged', async (t) => {
  const line = waitingLine(1);
  await line.enter(1000);
  const waited = line.enter(20);
  stat('.', () => line.leave());
  const busyUntil = performance.now() + 1_000;
  while (performance.now() < busyUntil);
  await t.resolves(waited);
});

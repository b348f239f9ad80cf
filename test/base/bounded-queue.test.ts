import t from 'tap';
import { buildBoundedQueue } from '../../src/base/bounded-queue.ts';

function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { job: () => promise, resolve };
}

t.test('as many jobs run at a time as may, and as many wait as may; one more is told at once', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 2, waiting: 1 });
  const [one, two, three] = [held(), held(), held()];
  const started: string[] = [];
  const start = (name: string, { job }: ReturnType<typeof held>) =>
    queue.run(() => {
      started.push(name);
      return job();
    });
  const jobs = [start('one', one), start('two', two), start('three', three)];
  t.equal(start('four', held()), undefined);
  t.equal(queue.length, 3);
  await Promise.resolve();
  t.strictSame(started, ['one', 'two']);
  two.resolve();
  await jobs[1];
  t.equal(queue.length, 2);
  one.resolve();
  three.resolve();
  await Promise.all(jobs);
  t.strictSame([started, queue.length], [['one', 'two', 'three'], 0]);
});

t.test('a job that fails makes room like any other', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 1 });
  const failing = queue.run(() => Promise.reject(new Error('x')));
  const after = queue.run(async () => 'done');
  await t.rejects(failing ?? Promise.resolve());
  t.equal(await after, 'done');
  t.equal(queue.length, 0);
});

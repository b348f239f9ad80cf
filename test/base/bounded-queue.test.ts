import t from 'tap';
import { buildBoundedQueue } from '../../src/base/bounded-queue.ts';

function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { job: () => promise, resolve };
}

t.test('as many jobs run at a time as may, and as many wait as may; one more is told at once', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 2, waiting: 1, each: 9 });
  const [one, two, three] = [held(), held(), held()];
  const started: string[] = [];
  const start = (name: string, { job }: ReturnType<typeof held>) =>
    queue.run(() => {
      started.push(name);
      return job();
    });
  const jobs = [start('one', one), start('two', two), start('three', three)];
  t.equal(start('four', held()), undefined);
  await Promise.resolve();
  t.strictSame(started, ['one', 'two']);
  two.resolve();
  await jobs[1];
  one.resolve();
  three.resolve();
  await Promise.all(jobs);
  t.strictSame(started, ['one', 'two', 'three']);
});

t.test('a job that fails makes room like any other', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 1, each: 9 });
  const failing = queue.run(() => Promise.reject(new Error('x')));
  const after = queue.run(async () => 'done');
  await t.rejects(failing ?? Promise.resolve());
  t.equal(await after, 'done');
  t.ok(queue.run(async () => {}));
});

t.test('nobody has more than their share, and it is theirs again once a job is done', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 9, each: 2 });
  const [one, two] = [held(), held()];
  const jobs = [queue.run(one.job, 'a'), queue.run(two.job, 'a')];
  t.equal(queue.run(held().job, 'a'), undefined);
  const other = queue.run(async () => 'served', 'b');
  t.ok(
    queue.run(async () => {}),
    'what is for nobody in particular has no share',
  );
  one.resolve();
  two.resolve();
  await Promise.all(jobs);
  t.equal(await other, 'served');
  t.equal(await queue.run(async () => 'again', 'a'), 'again');
});

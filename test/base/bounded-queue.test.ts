import t from 'tap';
import { type Asker, type BoundedQueue, buildBoundedQueue } from '../../src/base/bounded-queue.ts';

function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { job: () => promise, resolve };
}

/** All jobs end in turn, once the first one may. */
function recorded(queue: BoundedQueue) {
  const gate = held();
  const ran: string[] = [];
  const first = queue.run(gate.job);
  const ask = (name: string, asker?: Asker) =>
    queue.run(async () => {
      ran.push(name);
      return name;
    }, asker);
  const end = async () => {
    gate.resolve();
    await first;
  };
  return { ask, end, ran };
}

const stranger = (block: string): Asker => ({ block, share: 1 });
const known = (block: string, share = 1): Asker => ({ block, share, isKnown: true });

t.test('jobs run and wait up to their limits; one more job is rejected immediately', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 2, waiting: 1 });
  const [one, two, three] = [held(), held(), held()];
  const started: string[] = [];
  const start = (name: string, { job }: ReturnType<typeof held>) =>
    queue.run(() => {
      started.push(name);
      return job();
    });
  const jobs = [start('one', one), start('two', two), start('three', three)];
  t.equal(await start('four', held()), undefined);
  t.strictSame(started, ['one', 'two']);
  two.resolve();
  await jobs[1];
  one.resolve();
  three.resolve();
  await Promise.all(jobs);
  t.strictSame(started, ['one', 'two', 'three']);
  t.strictSame(queue.held(), { known: new Map(), strangers: new Map() });
});

t.test('a failed job makes room like any other', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 1 });
  const failing = queue.run(() => Promise.reject(new Error('x')));
  const after = queue.run(async () => 'done');
  await t.rejects(failing);
  t.equal(await after, 'done');
  t.equal(await queue.run(async () => 'again'), 'again');
});

t.test('nobody gets more than their share, and a finished job frees its share', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 10 });
  const half = { block: 'a', share: 0.2 };
  const [one, two] = [held(), held()];
  const jobs = [queue.run(one.job, half), queue.run(two.job, half)];
  t.equal(await queue.run(held().job, half), undefined);
  const other = queue.run(async () => 'served', { block: 'b', share: 0.2 });
  const nobody = [1, 2, 3].map((each) => queue.run(async () => each));
  t.strictSame(
    queue.held().strangers,
    new Map([
      ['a', 2],
      ['b', 1],
      ['', 3],
    ]),
    'what is for nobody has no share',
  );
  one.resolve();
  two.resolve();
  await Promise.all([...jobs, ...nobody]);
  t.equal(await other, 'served');
  t.equal(await queue.run(async () => 'again', half), 'again');
});

t.test('blocks take turns, however many jobs one of them has', async (t) => {
  const { ask, end, ran } = recorded(buildBoundedQueue({ atOnce: 1, waiting: 9 }));
  const jobs = [...['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, stranger('a'))), ask('b1', stranger('b'))];
  jobs.push(ask('c1', stranger('c')), ask('b2', stranger('b')));
  await end();
  await Promise.all(jobs);
  t.strictSame(ran, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

t.test('if every place is taken, the last job of the longest line gives way to a shorter line', async (t) => {
  const { ask, end, ran } = recorded(buildBoundedQueue({ atOnce: 1, waiting: 4 }));
  const jobs = [...['a1', 'a2', 'a3'].map((name) => ask(name, stranger('a'))), ask('b1', stranger('b'))];
  t.equal(await ask('a4', stranger('a')), undefined, 'not to itself');
  jobs.push(ask('c1', stranger('c')));
  t.equal(await jobs[2], undefined, 'the last one that came');
  t.equal(await ask('b2', stranger('b')), undefined, 'nor to one that would then have as many');
  jobs.push(ask('d1', stranger('d')));
  t.equal(await jobs[1], undefined);
  t.equal(await ask('e1', stranger('e')), undefined, 'every line has one');
  await end();
  t.strictSame(await Promise.all(jobs), ['a1', undefined, undefined, 'b1', 'c1', 'd1']);
  t.strictSame(ran, ['a1', 'b1', 'c1', 'd1']);
});

t.test('strangers take none of the reserved places, and known callers take turns with them', async (t) => {
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 6, kept: 2 });
  const { ask, end, ran } = recorded(queue);
  const jobs = [1, 2, 3, 4, 5, 6].map((n) => ask(`s${n}`, stranger(`block ${n}`)));
  t.equal(queue.held().strangers.size, 5, 'one runs and four wait');
  jobs.push(ask('k1', known('alice', 0.5)), ask('k2', known('bob', 0.5)));
  t.equal(await ask('k3', known('alice', 0.5)), undefined, 'one has a share of these places');
  t.equal(await ask('k4', known('carol')), undefined);
  await end();
  await Promise.all(jobs);
  t.strictSame(ran, ['k1', 's1', 'k2', 's2', 's3', 's4']);
});

t.test('without reserved places, known callers wait like all others', async (t) => {
  const { ask, end, ran } = recorded(buildBoundedQueue({ atOnce: 1, waiting: 2 }));
  const jobs = [ask('s1', stranger('a')), ask('k1', known('b'))];
  await end();
  await Promise.all(jobs);
  t.strictSame(ran, ['s1', 'k1']);
});

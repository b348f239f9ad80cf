import t from 'tap';
import { nextRun } from '../../src/base/next-run.ts';

/** Runs that end when the test says so. */
function controlled() {
  const runs: PromiseWithResolvers<void>[] = [];
  const run = nextRun(() => {
    const begun = Promise.withResolvers<void>();
    runs.push(begun);
    return begun.promise;
  });
  return { runs, run };
}

t.test('a call during a run waits for the next run, which all calls in the meantime share', async (t) => {
  const { runs, run } = controlled();
  const first = run();
  const others = [run(), run(), run()];
  t.equal(runs.length, 1, 'never two at once');
  runs[0]?.resolve();
  await first;
  await Promise.resolve();
  t.equal(runs.length, 2, 'one for all of them');
  let late = false;
  const last = run().then(() => {
    late = true;
  });
  runs[1]?.resolve();
  await Promise.all(others);
  t.equal(late, false, 'who called after it began waits for another');
  await Promise.resolve();
  runs[2]?.resolve();
  await last;
  t.equal(runs.length, 3);
});

t.test('a run that fails fails only for its own callers, not for later ones', async (t) => {
  const { runs, run } = controlled();
  const first = run();
  const second = run();
  runs[0]?.reject(new Error('no luck'));
  await t.rejects(first, /no luck/);
  while (runs.length < 2) await Promise.resolve();
  runs[1]?.resolve();
  await second;
  const third = run();
  t.equal(runs.length, 3);
  runs[2]?.resolve();
  await third;
});

import t from 'tap';
import type { SentGeneration } from '../../src/supervisor/messages.ts';
import { takeUp } from '../../src/supervisor/two-phase-reload.ts';
import type { Worker } from '../../src/supervisor/worker-lifecycle.ts';
import type { Crew } from '../../src/supervisor/worker-pool.ts';

/** A worker that gives the same answer to everything. */
function worker(index: number, told: string | null | undefined, isConnected = true) {
  const asked: string[] = [];
  const line = {
    async ask(verb: string) {
      asked.push(verb);
      return told;
    },
  };
  const process = {
    line,
    isConnected,
    over: new Promise<string>(() => {}),
    kill: () => void asked.push('kill'),
  };
  return { worker: { index, process } as unknown as Worker, asked };
}

const crewOf = (...workers: readonly { readonly worker: Worker }[]) =>
  ({ workers: workers.map((each) => each.worker) }) as unknown as Crew;
const sent = { version: 2 } as unknown as SentGeneration;

t.test('a worker that is gone before its exit is noticed is no reason to reject a file', async (t) => {
  const [well, gone] = [worker(0, null), worker(1, undefined, false)];
  t.strictSame(await takeUp(sent, crewOf(well, gone)).prepare(), []);
  t.strictSame(well.asked, ['prepare']);
});

t.test('a worker that is alive and gives no answer in time rejects a file for all', async (t) => {
  const [well, silent] = [worker(0, null), worker(1, undefined)];
  const problems = await takeUp(sent, crewOf(well, silent)).prepare();
  t.match(problems, [{ message: /^worker 1 cannot load the file: no answer in time$/ }]);
  t.strictSame(well.asked, ['prepare', 'discard']);
});

t.test('a worker that cannot load a file says why, and no worker uses the file', async (t) => {
  const [well, faulty] = [worker(0, null), worker(1, 'no such user file')];
  t.match(await takeUp(sent, crewOf(well, faulty)).prepare(), [{ message: /no such user file/ }]);
  t.strictSame(well.asked, ['prepare', 'discard']);
});

t.test('all prepared workers use the file, and one that starts in the meantime prepares it first', async (t) => {
  const [first, late] = [worker(0, null), worker(1, null)];
  const crew = { workers: [first.worker] };
  const reload = takeUp(sent, crew as unknown as Crew);
  await reload.prepare();
  crew.workers.push(late.worker);
  await reload.commit();
  t.strictSame(
    [first.asked, late.asked],
    [
      ['prepare', 'commit'],
      ['prepare', 'commit'],
    ],
  );
});

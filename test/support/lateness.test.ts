import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { figuresOf, isInTime, lateness } from './lateness.ts';

/** So many processes for each core that want all of it. */
const BUSY = 6;

async function busy(t: Test): Promise<void> {
  const program = 'console.log(); for (;;) {}';
  const children = Array.from({ length: BUSY * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'], env: {} }),
  );
  t.teardown(() =>
    Promise.all(
      children.map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    ),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

t.test("work within its limit is in time, and work beyond it by at most the machine's lateness", async (t) => {
  t.ok(isInTime(1_000, { took: 1_000, late: 0, longest: 0 }));
  t.notOk(isInTime(1_000, { took: 1_001, late: 0, longest: 0 }));
  t.ok(isInTime(1_000, { took: 1_300, late: 300, longest: 5 }));
  t.notOk(isInTime(1_000, { took: 1_301, late: 300, longest: 300 }));
  t.notOk(isInTime(1_000, { took: Number.POSITIVE_INFINITY, late: 0, longest: 0 }), 'it never ended');
});

t.test('a wait in the work itself does not count as lateness of the machine', async (t) => {
  const figures = await (await lateness(t)).measure(() => pause(2_000));
  t.comment(figuresOf(100, figures));
  t.ok(figures.took >= 1_999);
  t.notOk(isInTime(100, figures));
});

t.test('work that blocks this process and its event loop does not count as lateness of the machine', async (t) => {
  const figures = await (await lateness(t)).measure(async () => {
    for (const end = performance.now() + 2_000; performance.now() < end; );
  });
  t.comment(figuresOf(100, figures));
  t.notOk(isInTime(100, figures));
});

t.test('a bystander that is stopped for 500 ms was late by that time, for work during the stop', async (t) => {
  const { pid, between, measure } = await lateness(t);
  const stopped = await measure(async () => {
    process.kill(pid, 'SIGSTOP');
    await pause(500);
    process.kill(pid, 'SIGCONT');
  });
  // A tick was due up to 5 ms after the stop.
  t.ok(stopped.late >= 490 && stopped.longest >= 490, figuresOf(500, stopped));
  t.ok(stopped.late <= stopped.took, 'and by no more than the work took');
  const now = performance.now();
  const nothing = await between(now, now);
  t.match(nothing, { took: 0, late: 0, longest: 0 }, 'what was before is no part of it');
});

t.test('a bystander is late while other processes use all cores', async (t) => {
  const { measure } = await lateness(t);
  const before = await measure(() => pause(1_000));
  await busy(t);
  const beside = await measure(() => pause(1_000));
  t.comment(`before: ${figuresOf(1_000, before)}; beside them: ${figuresOf(1_000, beside)}`);
  t.ok(beside.late > beside.took / 20);
});

t.test('overlapping questions each get their own answer', async (t) => {
  const { measure } = await lateness(t);
  const all = await Promise.all([400, 10, 200].map((each) => measure(() => pause(each))));
  for (const [index, { took, late }] of all.entries()) {
    t.ok(took >= ([400, 10, 200][index] ?? 0) - 1);
    t.ok(late <= took);
  }
});

t.test('the bystander ends with its test', async (t) => {
  let pid = 0;
  await t.test('a separate test', async (t) => {
    pid = (await lateness(t)).pid;
    t.ok(lives(pid));
  });
  t.notOk(lives(pid));
});

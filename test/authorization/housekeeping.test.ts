import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startHousekeeping } from '../../src/authorization/housekeeping.ts';
import { Bell } from '../../src/authorization/service/bell.ts';
import { buildLog } from '../../src/base/log.ts';
import { until } from '../support/until.ts';
import { collector, run } from './running-service.ts';

t.test('a task never runs twice at once, and a stop waits for the running one', async (t) => {
  const { service } = await run(t);
  const seen = { started: 0, running: 0, most: 0 };
  const slow = async () => {
    seen.started++;
    seen.most = Math.max(seen.most, ++seen.running);
    await sleep(50);
    seen.running--;
  };
  const stop = startHousekeeping(service, buildLog({ level: 'silent', format: 'json' }), [
    { name: 'slow', every: 5, run: slow },
  ]);
  await until(() => seen.started >= 3 && seen.running === 1);
  await stop();
  t.match(seen, { running: 0, most: 1 });
  const { started } = seen;
  await sleep(80);
  t.equal(seen.started, started, 'and after it none begins');
});

t.test(
  'a bell starts a chore at once, and a ring during a run starts one more run, and none after the stop',
  async (t) => {
    const { service } = await run(t);
    const bell = new Bell();
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const waiting = async () => {
      runs++;
      await gate.promise;
    };
    const stop = startHousekeeping(service, buildLog({ level: 'silent', format: 'json' }), [
      { name: 'waiting', every: 3_600_000, run: waiting, wokenBy: () => bell },
    ]);
    bell.ring();
    t.equal(runs, 1);
    for (let i = 0; i < 3; i++) bell.ring();
    t.equal(runs, 1, 'one run at a time');
    gate.resolve();
    t.ok(await until(() => runs === 2));
    await stop();
    bell.ring();
    await sleep(10);
    t.equal(runs, 2);
  },
);

t.test('a chore with several steps ends at a stop, and the stop waits for the current step', async (t) => {
  const { service } = await run(t);
  let steps = 0;
  const endless = async (_: unknown, stopping: AbortSignal) => {
    for (; !stopping.aborted; steps++) await sleep(5);
  };
  const stop = startHousekeeping(service, buildLog({ level: 'silent', format: 'json' }), [
    { name: 'endless', every: 1, run: endless, atOnce: true },
  ]);
  t.ok(await until(() => steps > 2));
  await stop();
  const seen = steps;
  await sleep(30);
  t.equal(steps, seen);
});

t.test('a failed task is reported and repeated', async (t) => {
  const { service } = await run(t);
  const { sink, written } = collector();
  let runs = 0;
  const failing = async () => {
    runs++;
    throw new Error('no luck');
  };
  const stop = startHousekeeping(service, buildLog({ level: 'warn', format: 'json' }, sink), [
    { name: 'trying', every: 5, run: failing },
  ]);
  await until(() => runs >= 2);
  await stop();
  t.match(written(), /"no luck".*"trying failed"/);
});

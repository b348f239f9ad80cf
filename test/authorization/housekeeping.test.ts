import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startHousekeeping } from '../../src/authorization/housekeeping.ts';
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

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { StorageUnavailable } from '../../src/storage/engine/errors.ts';
import { storeOutage } from '../../src/storage/engine/store-outage.ts';
import { until } from '../support/until.ts';
import { basic, run, shop } from './running-service.ts';

/** Waits for outages that begin and end: 12 s on a busy machine. */
t.setTimeout(60_000);

/** More than the time between two runs of a chore. */
const CHORES_RUN = 3_000;

function linesOf(text: string): { level: number; msg: string; err?: unknown }[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

t.test('an outage of the store has one line at its start and one at its end, without a stack', async (t) => {
  const service = await run(t);
  const file = join(service.directory, 'gatehouse.db');
  const ask = () => service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop));
  renameSync(file, `${file}.away`);
  for (const _ of [1, 2, 3]) t.equal((await ask()).status, 503);
  await pause(CHORES_RUN);
  const warned = linesOf(service.logged()).filter(({ level }) => level >= 40);
  t.match(warned, [{ level: 40, msg: 'the store is unreachable: the file of the database was moved or deleted' }]);
  t.equal(warned.length, 1);
  t.notMatch(service.logged(), /"stack"/);
  renameSync(`${file}.away`, file);
  t.ok(await until(() => service.logged().includes('the store is reachable again')));
  t.equal((await ask()).status, 200);
  t.equal(service.logged().split('the store is reachable again').length, 2);
});

function outage(ping: () => Promise<unknown>) {
  const lines: string[] = [];
  const tell = (line: unknown) => void lines.push(String(line));
  return { lines, outage: storeOutage({ ping, log: { warn: tell, info: tell }, every: 5 }) };
}

const refused = new Error('connect ECONNREFUSED 127.0.0.1:21432');
const away = new StorageUnavailable(`no connection to the store: ${refused.message}`, { cause: refused });

t.test('the line names the address of the store once, and only a write that succeeds ends the outage', async (t) => {
  let isUp = false;
  const { lines, outage: met } = outage(async () => (isUp ? undefined : Promise.reject(away)));
  t.teardown(met.close);
  for (const _ of [1, 2, 3]) t.ok(met.met(away));
  await pause(40);
  t.strictSame(lines, ['the store is unreachable: connect ECONNREFUSED 127.0.0.1:21432']);
  isUp = true;
  t.ok(await until(() => lines.length > 1));
  t.equal(lines[1], 'the store is reachable again');
  met.met(away);
  t.equal(lines.length, 3, 'a later outage has its own line');
});

t.test('a defect of ours is no outage of the store', async (t) => {
  const { lines, outage: met } = outage(async () => undefined);
  t.notOk(met.met(new TypeError('a defect')));
  t.strictSame(lines, []);
});

t.test('after the stop, the closed store is no outage', async (t) => {
  const { lines, outage: met } = outage(async () => undefined);
  met.close();
  t.ok(met.met(new StorageUnavailable('the store is closed')));
  t.strictSame(lines, []);
});

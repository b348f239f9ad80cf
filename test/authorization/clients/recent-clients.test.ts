import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { RegisteredClient } from '../../../src/authorization/clients/clients.ts';
import { rememberClients } from '../../../src/authorization/clients/recent-clients.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../running-service.ts';

const lists = (...outcomes: (readonly RegisteredClient[] | Error)[]) => ({
  async list() {
    await sleep(1);
    const outcome = outcomes.shift();
    if (outcome instanceof Error || outcome === undefined) throw outcome;
    return outcome;
  },
});

t.test('the clients are read once in five seconds, and while the store is down the last result is used', async (t) => {
  const [first, second]: RegisteredClient[][] = [[], []];
  const clock = settableClock();
  const recent = rememberClients(lists(first ?? [], new Error('down'), second ?? []), clock);
  const asked = await Promise.all([recent(), recent()]);
  t.equal(asked[0], first);
  t.equal(asked[1], first);
  clock.advance(5000);
  t.equal(await recent(), first, 'down');
  clock.advance(5000);
  t.equal(await recent(), second);
});

t.test('without an earlier result an outage is reported, and not cached', async (t) => {
  const known: RegisteredClient[] = [];
  const recent = rememberClients(lists(new Error('down'), known), settableClock());
  await t.rejects(recent(), /down/);
  t.equal(await recent(), known);
});

t.test('the store lists its clients once, however many requests for metadata arrive', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let listed = 0;
  const counted: typeof records.listClients = (...asked) => {
    listed++;
    return records.listClients(...asked);
  };
  const { url } = await run(t, { directory, records: { ...records, listClients: counted } });
  // At the start, the clients were compared with the users of the file.
  listed = 0;
  const origin = 'https://shop.example.com';
  const ask = [
    () => fetch(`${url}/.well-known/oauth-authorization-server`),
    () => fetch(`${url}/oauth2/token`, { method: 'OPTIONS', headers: { origin } }),
  ];
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask.map((one) => one())).flat());
  t.ok(answers.every(({ ok }) => ok));
  t.equal(listed, 1);
});

import t from 'tap';
import { seconds, systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import { claimsOf } from '../authorization/security-events/receiver.ts';
import { until } from './revoked.ts';
import { key, place, refused } from './security-events-place.ts';

/** Starts a service several times, and waits until the event of a killed one is free: six seconds. */
t.setTimeout(120_000);

t.test('kill -9 between the commit of a logout and its delivery: the gateway gets it after the restart', async (t) => {
  const here = await place(t);
  for (let life = 1; life <= 2; life++) {
    const service = await here.start();
    const { token, logout } = await here.login();
    t.equal(await here.gateway.said(token), '200');
    const [before, held] = [here.pushed.length, here.way.held()];
    here.way.holdWhere(() => true);
    await logout();
    t.ok(await until(() => here.way.held() > held), 'the token is on its way');
    service.child.kill('SIGKILL');
    await service.ended;
    t.equal(await here.gateway.said(token), '200', 'nobody has told the gateway');
    here.way.holdWhere(() => false);
    const next = await here.start();
    t.ok(await refused(here, token), `life ${life}`);
    const ids = here.pushed.slice(before).map((each) => claimsOf(each).jti);
    t.equal(new Set(ids).size, 1, 'each attempt has the same jti');
    // A service that is killed before it has stored the answer would send this event again in the next life.
    t.ok(await until(() => next.stdout().includes('"event":"security_event"')), 'the answer is stored');
    next.child.kill('SIGKILL');
    await next.ended;
  }
});

t.test('what another process commits while no service runs is delivered at the next start', async (t) => {
  const here = await place(t);
  const first = await here.start();
  const { token } = await here.login();
  t.equal(await here.gateway.said(token), '200');
  first.child.kill('SIGKILL');
  await first.ended;
  const store = await openRecords('sqlite:gatehouse.db', {
    directory: here.directory,
    clock: systemClock,
    encryptionKeys: [key],
  });
  await store.signOutEverywhere({ subject: 'alice', now: seconds(systemClock), keysUntil: undefined });
  await store.close();
  t.equal(await here.gateway.said(token), '200');
  await here.start();
  t.ok(await refused(here, token));
});

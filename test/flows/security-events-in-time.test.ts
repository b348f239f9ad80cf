import t from 'tap';
import { seconds, systemClock } from '../../src/base/clock.ts';
import { openRecords } from '../../src/storage/open.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { key, place, REVOKED, refused } from './security-events-place.ts';

/** Starts a service: 11 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const PROMISED = 1_000;

t.test(
  'a logout and a new password at the service refuse the tokens of the user at the gateway within a second',
  async (t) => {
    const here = await place(t);
    await here.start();
    const late = await lateness(t);
    const { token, logout } = await here.login();
    t.equal(await here.gateway.said(token), '200');
    await logout();
    inTime(t, 'a logout', PROMISED, await late.measure(() => refused(here, token)));
    t.equal(await here.gateway.said(token), REVOKED);

    // As `gatehouse user` does, in another process.
    const store = await openRecords('sqlite:gatehouse.db', {
      directory: here.directory,
      clock: systemClock,
      encryptionKeys: [key],
    });
    t.teardown(() => store.close());
    const carol = { subject: 's-carol', username: 'carol', name: undefined, claims: {}, createdAt: 0 };
    await store.addAccount({ ...carol, passwordHash: passwordHash('first') });
    const old = await here.phone('carol', 'first');
    t.equal(await here.gateway.said(old), '200');
    await store.setPassword({ username: 'carol', passwordHash: passwordHash('second'), now: seconds(systemClock) });
    inTime(t, 'a new password', PROMISED, await late.measure(() => refused(here, old)));
    t.equal(await here.gateway.said(old), REVOKED);
  },
);

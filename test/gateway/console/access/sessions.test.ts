import t from 'tap';
import { ConsoleSessions } from '../../../../src/gateway/console/access/sessions.ts';
import { settableClock } from '../../../support/settable-clock.ts';

/** A server whose feed the test plays. */
function scene(most?: number) {
  const clock = settableClock();
  const watched = new Set<() => void>();
  const server = {
    watch(_identity: unknown, end: () => void) {
      watched.add(end);
      return () => watched.delete(end);
    },
  };
  const sessions = new ConsoleSessions(clock, most);
  const open = (name = 'alice') =>
    sessions.open({
      identity: { subject: name, clientId: 'console', expiresAt: undefined } as never,
      name,
      sid: undefined,
      server: server as never,
    });
  return { clock, watched, sessions, open };
}

t.test('a session has no token and not the value of its cookie', async (t) => {
  const { sessions, open } = scene();
  const { value, session } = open();
  t.match(value, /^[\w-]{43}$/);
  t.equal(sessions.find(value), session);
  t.notOk(JSON.stringify(session).includes(value));
  t.strictSame(Object.keys(session).sort(), [
    'client',
    'confirmedAt',
    'endsAt',
    'id',
    'name',
    'server',
    'sid',
    'subject',
  ]);
  t.equal(sessions.find(session.id), undefined, 'the id opens nothing');
});

t.test('the end of a session is told once, to everyone who still wants to know', async (t) => {
  const { sessions, open, watched } = scene();
  const { session } = open();
  const told: string[] = [];
  sessions.onEnd(session.id, () => told.push('one'));
  const stop = sessions.onEnd(session.id, () => told.push('two'));
  sessions.onEnd(session.id, () => told.push('three'));
  stop();
  for (const end of watched) end();
  sessions.end(session.id);
  t.strictSame(told, ['one', 'three']);
  t.equal(watched.size, 0, 'nothing is watched any more');
  const late = Promise.withResolvers<void>();
  sessions.onEnd(session.id, late.resolve);
  await late.promise;
});

t.test('one session too many ends the oldest', async (t) => {
  const { sessions, open } = scene(2);
  const [one, two, three] = [open(), open(), open()];
  t.equal(sessions.size, 2);
  t.strictSame(
    [one, two, three].map(({ value }) => sessions.find(value) !== undefined),
    [false, true, true],
  );
});

t.test('no session lasts longer than twelve hours', async (t) => {
  const { sessions, open, clock } = scene();
  const { value } = open();
  clock.advance(12 * 3_600_000 - 1_000);
  t.ok(sessions.find(value));
  clock.advance(2_000);
  t.equal(sessions.find(value), undefined);
  t.equal(sessions.size, 0);
});

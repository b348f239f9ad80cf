import { EventEmitter } from 'node:events';
import type { Http2Session, Http2Stream } from 'node:http2';
import { mock } from 'node:test';
import t from 'tap';
import { LengthFaults } from '../../src/base/length-faults.ts';

const report = () => Object.assign(new Error('Protocol error'), { errno: -505 });
const turn = () => new Promise((done) => setImmediate(done));

/** The members of a session that the code reads, with frames that wait to be sent. */
function scene(waiting: number) {
  const destroyed: unknown[] = [];
  const session = {
    state: { outboundQueueSize: waiting },
    destroy: (error: unknown) => void destroyed.push(error),
  } as unknown as Http2Session;
  const faults = new LengthFaults(session);
  const stream = () => {
    const made = Object.assign(new EventEmitter(), { closed: false, rstCode: 0 });
    faults.watch(made as unknown as Http2Stream);
    return made;
  };
  return { session, stream, destroyed };
}

t.test('one reset explains one report, and a second report is not explained', async (t) => {
  const { session, stream, destroyed } = scene(0);
  const faulty = stream();
  session.destroy(report());
  Object.assign(faulty, { closed: true, rstCode: 1 });
  await turn();
  t.strictSame(destroyed, []);
  faulty.emit('close');
  session.destroy(report());
  await turn();
  t.equal(destroyed.length, 1);
});

t.test('a stream that ended in another way explains nothing', async (t) => {
  for (const [closed, rstCode] of [
    [true, 0],
    [true, 8],
    [false, 1],
  ]) {
    const { session, stream, destroyed } = scene(0);
    const other = Object.assign(stream(), { closed, rstCode });
    session.destroy(report());
    await turn();
    t.equal(destroyed.length, 1, `${closed} ${rstCode}`);
    other.emit('close');
  }
});

t.test('a reset that waits behind other frames is awaited, but not forever', async (t) => {
  mock.timers.enable({ apis: ['setImmediate', 'setTimeout'] });
  t.teardown(() => mock.timers.reset());
  for (const comes of [true, false]) {
    const { session, stream, destroyed } = scene(1);
    const faulty = stream();
    session.destroy(report());
    mock.timers.tick(0);
    mock.timers.tick(999);
    t.strictSame(destroyed, []);
    if (comes) Object.assign(faulty, { closed: true, rstCode: 1 });
    mock.timers.tick(1);
    t.equal(destroyed.length, comes ? 0 : 1);
  }
});

t.test('any other reason destroys immediately', async (t) => {
  const { session, destroyed } = scene(1);
  session.destroy();
  session.destroy(new Error('something else'));
  session.destroy(Object.assign(new Error('of a closed stream'), { errno: -510 }));
  t.equal(destroyed.length, 3);
});

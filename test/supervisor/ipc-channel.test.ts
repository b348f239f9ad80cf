import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type IpcEnd, openIpcChannel } from '../../src/supervisor/ipc-channel.ts';

// A channel keeps no process alive, not even for an answer.
const alive = setInterval(() => {}, 100);
t.teardown(() => clearInterval(alive));

interface Asks {
  readonly add: { readonly asked: readonly [number, number]; readonly told: number };
  readonly never: { readonly asked: true; readonly told: true };
  readonly bug: { readonly asked: true; readonly told: true };
}
interface News {
  readonly said: string;
}

/** Two ends that transport messages like a channel between processes: as JSON, later. */
function ends() {
  const messages: unknown[] = [];
  const make = () =>
    Object.assign(new EventEmitter(), { connected: true, peer: undefined as EventEmitter | undefined });
  const [one, two] = [make(), make()];
  const end = (from: ReturnType<typeof make>, to: EventEmitter): IpcEnd =>
    Object.assign(from, {
      send(message: unknown) {
        messages.push(message);
        setImmediate(() => to.emit('message', JSON.parse(JSON.stringify(message)), undefined));
        return true;
      },
    });
  return { one: end(one, two), two: end(two, one), messages };
}

function lines() {
  const { one, two, messages } = ends();
  const heard: string[] = [];
  const bugs: unknown[] = [];
  const asking = openIpcChannel<Asks, News, Record<never, never>, Record<never, never>>(one, {
    answers: {},
    hears: {},
    broken: (error) => bugs.push(error),
  });
  openIpcChannel<Record<never, never>, Record<never, never>, Asks, News>(two, {
    answers: {
      add: async ([left, right]) => left + right,
      never: () => new Promise(() => {}),
      bug: () => {
        throw new Error('a bug');
      },
    },
    hears: {
      said(text) {
        if (text === 'a bug') throw new Error(text);
        heard.push(text);
      },
    },
    broken: (error) => bugs.push(error),
  });
  return { asking, heard, bugs, messages, one };
}

t.test('each question gets its own answer, and the messages of one turn are sent together', async (t) => {
  const { asking, messages } = lines();
  const sums = await Promise.all([1, 2, 3, 4].map((each) => asking.ask('add', [each, each], 20_000)));
  t.strictSame(sums, [2, 4, 6, 8]);
  t.equal(messages.length, 2);
});

t.test('news arrive in order, before a question that was asked after them', async (t) => {
  const { asking, heard } = lines();
  asking.tell('said', 'a');
  asking.tell('said', 'b');
  await asking.ask('add', [1, 1], 20_000);
  t.strictSame(heard, ['a', 'b']);
});

t.test('a late answer counts as no answer, and so does an exception on the other side', async (t) => {
  const { asking, bugs } = lines();
  t.equal(await asking.ask('never', true, 30), undefined);
  t.equal(await asking.ask('bug', true, 20_000), undefined);
  t.match(bugs, [{ message: 'a bug' }]);
});

t.test('an exception during news is reported there, and the messages sent with them still arrive', async (t) => {
  const { asking, heard, bugs } = lines();
  for (const text of ['a', 'a bug', 'b']) asking.tell('said', text);
  t.equal(await asking.ask('add', [1, 1], 20_000), 2);
  t.strictSame(heard, ['a', 'b']);
  t.match(bugs, [{ message: 'a bug' }]);
});

t.test('of too many questions the last ones get no answer immediately', async (t) => {
  const { asking } = lines();
  const all = Array.from({ length: 10_001 }, () => asking.ask('never', true, 60_000));
  const first = await Promise.race([all[10_000], pause(1_000, 'late')]);
  t.equal(first, undefined);
});

t.test('a question gets no answer if no one answers on the other side', async (t) => {
  const { asking, one, messages } = lines();
  Object.assign(one, { connected: false });
  asking.tell('said', 'a');
  t.equal(await asking.ask('add', [1, 1], 20_000), undefined);
  await pause(10);
  t.equal(messages.length, 0);
});

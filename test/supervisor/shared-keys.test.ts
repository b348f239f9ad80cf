import t from 'tap';
import type { Fetched } from '../../src/gateway/server-client/fetch-json.ts';
import type { SentKeys } from '../../src/supervisor/messages.ts';
import { sharedKeys } from '../../src/supervisor/shared-keys.ts';
import { heldClock } from '../gateway/issuer.ts';

const cooldown = 10_000;

function shared(answers: (() => Fetched)[] = []) {
  const clock = heldClock();
  const state = { calls: 0 };
  const came: SentKeys[] = [];
  const load = async (): Promise<Fetched> => {
    const answer = answers[state.calls++];
    await new Promise((resolve) => setImmediate(resolve));
    return answer?.() ?? { kind: 'json', value: { keys: [state.calls] } };
  };
  const keys = sharedKeys({ source: { load, every: 600_000 }, cooldown, clock, came: (sent) => came.push(sent) });
  return { keys, clock, state, came };
}

t.test('simultaneous questions share one fetch, and a slightly later one gets its result', async (t) => {
  const { keys, state } = shared();
  const told = await Promise.all([keys(0), keys(0), keys(0), keys(0)]);
  t.strictSame(
    told.map(({ version }) => version),
    [1, 1, 1, 1],
  );
  t.equal((await keys(0)).version, 1);
  t.equal(state.calls, 1);
});

t.test('a worker that already has the last set gets another one, for all workers once in a cooldown', async (t) => {
  const { keys, state, clock } = shared();
  await keys(0);
  t.equal((await keys(1)).version, 2);
  for (let worker = 0; worker < 4; worker++) t.equal((await keys(2)).version, 2);
  t.equal(state.calls, 2);
  clock.advance(cooldown);
  t.equal((await keys(2)).version, 3);
  t.equal((await keys(3)).version, 3);
});

t.test(
  'a question that a fetch in flight cannot answer gets a later one, for all workers once in a cooldown',
  async (t) => {
    const { keys, state, clock } = shared();
    await keys(0);
    clock.advance(cooldown * 100);
    const scheduled = keys(0);
    clock.advance(1);
    const told = await Promise.all([keys(1), keys(1), scheduled]);
    t.strictSame(
      told.map(({ version }) => version),
      [3, 3, 2],
    );
    t.equal(state.calls, 3);
  },
);

t.test('within a cooldown, a question during a fetch gets the result with its age, so it proves nothing', async (t) => {
  const { keys, state, clock } = shared();
  await keys(0);
  const first = keys(1);
  clock.advance(1);
  const [joined, asked] = await Promise.all([keys(1), first]);
  t.match(joined, { version: 2, set: { age: 1 } });
  t.notHas(asked.set, { age: Number });
  t.equal(state.calls, 2);
});

t.test('a set older than the cooldown may lack a new key, but is enough for a start', async (t) => {
  const { keys, clock } = shared();
  await keys(0);
  await keys(1);
  clock.advance(cooldown);
  t.match(await keys(0), { version: 2, set: { age: cooldown } });
  t.equal((await keys(1)).version, 3);
  clock.advance(300_000);
  t.equal((await keys(0)).version, 4);
});

t.test('every set goes to all workers', async (t) => {
  const { keys, came } = shared();
  await keys(0);
  await keys(1);
  t.strictSame(
    came.map(({ version }) => version),
    [1, 2],
  );
});

t.test('a worker that starts while the server is down gets the last good set, with its age', async (t) => {
  const failed = (): Fetched => ({ kind: 'failed', detail: 'status 500' });
  const { keys, clock } = shared([() => ({ kind: 'json', value: { keys: [] } }), failed, failed]);
  await keys(0);
  clock.advance(60_000);
  t.match(await keys(1), { version: 2, set: { kind: 'failed' } });
  t.match(await keys(0), { version: 1, set: { kind: 'json', age: 60_000 } });
  clock.advance(60_000);
  t.match(await keys(0), { version: 1, set: { kind: 'json', age: 120_000 } });
});

t.test('a failed fetch is not repeated by the next worker, and a second later it is', async (t) => {
  const { keys, clock, state } = shared([() => ({ kind: 'failed', detail: 'status 500' })]);
  t.match(await keys(0), { set: { kind: 'failed' } });
  t.match(await keys(0), { set: { kind: 'failed' } });
  t.equal(state.calls, 1);
  clock.advance(1_000);
  t.match(await keys(0), { set: { kind: 'json' } });
});

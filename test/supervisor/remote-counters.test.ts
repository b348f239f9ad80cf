import t from 'tap';
import { groupCounters } from '../../src/supervisor/group-counters.ts';
import type { PrimaryVerbs } from '../../src/supervisor/messages.ts';
import { remoteCounters } from '../../src/supervisor/remote-counters.ts';
import { countersContract } from '../contracts/counters.ts';
import { heldClock } from '../gateway/issuer.ts';

/** A primary in this process. */
function primary(clock = heldClock()) {
  const counters = groupCounters(clock);
  const state = { silent: false, asked: 0 };
  const answers: { [Verb in keyof PrimaryVerbs]?: (asked: never) => unknown } = {
    take: ({ key, limit }: PrimaryVerbs['take']['asked']) => counters.take(key, limit),
    failures: (key: string) => counters.failures(key),
    fail: ({ key, window }: PrimaryVerbs['fail']['asked']) => counters.fail(key, window),
    useNonce: (use: PrimaryVerbs['useNonce']['asked']) => counters.useNonce(use),
  };
  const line = {
    async ask<Verb extends keyof PrimaryVerbs>(verb: Verb, asked: PrimaryVerbs[Verb]['asked']) {
      state.asked++;
      if (state.silent) return undefined;
      return answers[verb]?.(asked as never) as PrimaryVerbs[Verb]['told'];
    },
  };
  return { clock, state, worker: () => remoteCounters(line, clock) };
}

const clock = heldClock();
countersContract(t, 'asked of a primary', {
  open: async () => primary(clock).worker(),
  pass: async (milliseconds) => clock.advance(milliseconds),
});

const limit = { requests: 3, window: 60_000 };

t.test('two workers count together', async (t) => {
  const { worker } = primary();
  const [one, two] = [worker(), worker()];
  t.strictSame([await one.take('a', limit), await two.take('a', limit), await one.take('a', limit)], [0, 0, 0]);
  t.ok((await two.take('a', limit)) > 0);
});

t.test('without an answer a worker counts alone immediately, and asks again half a second later', async (t) => {
  const { worker, state, clock } = primary();
  const one = worker();
  state.silent = true;
  for (let time = 0; time < 3; time++) t.equal(await one.take('a', limit), 0);
  t.ok((await one.take('a', limit)) > 0, 'the limit holds');
  t.equal(state.asked, 1);
  t.equal(one.reachable(), false);
  state.silent = false;
  clock.advance(600);
  t.equal(await one.take('b', limit), 0);
  t.equal(state.asked, 2);
  t.equal(one.reachable(), true);
});

t.test('without an answer it is unknown whether a nonce was used', async (t) => {
  const { worker, state, clock } = primary();
  const [one, two] = [worker(), worker()];
  const use = { id: 'n', issuedAt: clock.now() + 1, lifetime: 60_000, count: 1, mode: 'strict' } as const;
  t.equal(await one.useNonce?.(use), 'fresh');
  t.equal(await two.useNonce?.(use), 'repeated');
  t.equal(await two.useNonce?.({ ...use, id: 'older', issuedAt: clock.now() - 1 }), 'forgotten');
  state.silent = true;
  t.equal(await one.useNonce?.({ ...use, count: 2 }), undefined);
});

import { once } from 'node:events';
import t from 'tap';
import { within } from '../../src/base/within.ts';

t.test('the signal fires after the time, like AbortSignal.timeout', async (t) => {
  const reason = await within(5, async (signal) => {
    // A process may end if only a signal waits.
    const awake = setTimeout(() => {}, 10_000);
    await once(signal, 'abort');
    clearTimeout(awake);
    return signal.reason;
  });
  t.equal(reason.name, 'TimeoutError');
});

t.test('a finished call leaves no timer behind, however it ended', async (t) => {
  const signals: AbortSignal[] = [];
  const call = (end: () => Promise<string>) =>
    within(5, (signal) => {
      signals.push(signal);
      return end();
    });
  t.equal(await call(async () => 'answer'), 'answer');
  await t.rejects(
    call(() => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  // Timers fire in the order of their ends.
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame(
    signals.map(({ aborted }) => aborted),
    [false, false],
  );
});

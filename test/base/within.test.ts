import { once } from 'node:events';
import t from 'tap';
import { within } from '../../src/base/within.ts';

t.test('the signal fires when the time is over, as that of AbortSignal.timeout does', async (t) => {
  const reason = await within(5, async (signal) => {
    // What only a signal waits for lets a process end.
    const awake = setTimeout(() => {}, 10_000);
    await once(signal, 'abort');
    clearTimeout(awake);
    return signal.reason;
  });
  t.equal(reason.name, 'TimeoutError');
});

t.test('a call that is over leaves no timer behind, however it ended', async (t) => {
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

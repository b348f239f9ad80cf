import { type Tracer, trace } from '@opentelemetry/api';
import t from 'tap';
import { flushSpans } from '../../../src/gateway/telemetry/flush-spans.ts';
import { within } from '../../support/until.ts';

/** An SDK that registered itself, with the parts that a stop uses. */
function registered(t: { teardown(done: () => void): void }, forceFlush?: () => unknown): void {
  const getTracer = (): Tracer => {
    throw new Error('nobody asks for it');
  };
  trace.setGlobalTracerProvider({ getTracer, ...(forceFlush && { forceFlush }) });
  t.teardown(() => trace.disable());
}

t.test('a stop waits until the SDK has exported its spans', async (t) => {
  let flushed = false;
  registered(t, async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    flushed = true;
  });
  await flushSpans();
  t.equal(flushed, true);
});

t.test('a collector that does not answer does not delay a stop', async (t) => {
  registered(t, () => new Promise(() => {}));
  await within(flushSpans(), 20_000, 'the flush');
});

t.test('an SDK that fails does not make the stop fail', async (t) => {
  registered(t, () => Promise.reject(new Error('collector refused')));
  await t.resolves(flushSpans());
  trace.disable();
  registered(t, () => {
    throw new Error('broken');
  });
  await t.resolves(flushSpans());
});

t.test('without an SDK, or with one that cannot flush, a stop does not wait', async (t) => {
  await t.resolves(flushSpans());
  registered(t);
  await t.resolves(flushSpans());
});

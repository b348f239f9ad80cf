import t from 'tap';
import { openTracing } from '../../../src/gateway/telemetry/tracing.ts';
import { collectSpans } from '../../support/spans.ts';

t.test('without an SDK nobody makes spans; one that is registered later is found by whoever asks next', async (t) => {
  t.equal(openTracing(), undefined);
  await t.test('with one', async (t) => {
    collectSpans(t);
    t.ok(openTracing());
  });
  t.equal(openTracing(), undefined);
});

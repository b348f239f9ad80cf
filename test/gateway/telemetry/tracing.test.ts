import t from 'tap';
import { openTracing } from '../../../src/gateway/telemetry/tracing.ts';
import { collectSpans } from '../../support/spans.ts';

t.test('without an SDK no spans are created; an SDK that registers later is found at the next call', async (t) => {
  t.equal(openTracing(), undefined);
  await t.test('with one', async (t) => {
    collectSpans(t);
    t.ok(openTracing());
  });
  t.equal(openTracing(), undefined);
});

import { Registry } from 'prom-client';
import t from 'tap';
import { buildHealth } from '../../src/base/health.ts';
import { groupHealth } from '../../src/supervisor/group-health.ts';

t.test('the reason that a worker waited for is no longer a cause once the group is draining', async (t) => {
  const state = { draining: false };
  const line = { ask: async () => ({ notReady: 'no usable keys', cause: 'the issuer does not answer', remark: null }) };
  const health = groupHealth({
    crew: { workers: [{ process: { line } }], restarts: 0 },
    decisions: { counts: new Map() },
    console: { hub: { viewers: 0 } },
    stats: { lastSuccessful: true, waiting: false },
    isDraining: () => state.draining,
  } as unknown as Parameters<typeof groupHealth>[0]);
  const app = buildHealth({ ...health, registry: new Registry() }, () => true);
  t.teardown(() => app.close());
  const readyz = async () => (await app.inject('/readyz')).json();
  t.match(await readyz(), { reason: 'no usable keys', cause: 'the issuer does not answer' });
  state.draining = true;
  t.strictSame(await readyz(), { status: 'not ready', reason: 'draining' });
});

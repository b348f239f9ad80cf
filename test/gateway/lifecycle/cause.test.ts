import t from 'tap';
import { type Core, notReady } from '../../../src/gateway/lifecycle/core.ts';
import { gateway } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';

/** The parts of a gateway from which the cause is built. */
function core(faults: readonly string[], draining = false): Core {
  const current = {
    verifiers: { ready: () => false, faults: () => faults },
    schemes: { ready: () => true, faults: () => [] },
  };
  return { live: { current }, listener: { draining } } as unknown as Core;
}

const causeNotReady = (of: Core) => notReady(of)?.cause;

t.test('a cause is one line of bounded length without control characters, and is absent while draining', async (t) => {
  t.equal(causeNotReady(core([])), undefined);
  t.equal(causeNotReady(core(['a', 'b'])), 'a; b');
  t.equal(causeNotReady(core(['a'], true)), undefined);
  t.equal(causeNotReady(core(['\u001b[2J\na'])), '\u{fffd}[2J\u{fffd}a');
  const long = causeNotReady(core(Array.from({ length: 50 }, () => 'x'.repeat(5_000)))) ?? '';
  t.ok(long.length < 1_300, `${long.length} characters`);
});

t.test('an unreachable database of users is a cause', async (t) => {
  const users = { storage: `sqlite:${t.testdir({})}/none.db` };
  const running = await gateway(t, {
    admin: '127.0.0.1:0',
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/a' }, auth: 'basic', basic: { users }, access: 'authenticated' }],
  });
  const readyz = async () => (await (await fetch(`${running.adminUrl}/readyz`)).json()) as { cause?: string };
  t.ok(await until(async () => /^users: there is no database /.test((await readyz()).cause ?? '')));
});

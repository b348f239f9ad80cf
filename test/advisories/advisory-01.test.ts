import t from 'tap';
import { assertRefused, bench } from './bench.ts';

/** CVE-2026-33494: a rule matched the path before its dot segments were removed. */
t.test('advisory 1: no path from /public to /admin passes with the rule for /public', async (t) => {
  const gateway = await bench(t);
  await assertRefused(t, gateway, [
    '/public/../admin/x',
    '/public/./../admin/x',
    '/public/a/../../admin/x',
    '/public/%2e%2e/admin/x',
    '/public/%2E%2E/admin/x',
    '/public/.%2e/admin/x',
    '/public/%2e./admin/x',
    '/public/..%2fadmin/x',
    '/public/%2e%2e%2fadmin/x',
    '/public/..%5cadmin/x',
    '/public/..\\admin/x',
    '/public/..;/admin/x',
    '/public/%252e%252e/admin/x',
    '/public/%c0%ae%c0%ae/../admin/x',
    '/public/..',
    '/public//../admin/x',
  ]);
  t.equal((await gateway.send({ target: '/public/x' })).status, 200, 'the rule itself stands open');
});

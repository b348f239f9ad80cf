import t from 'tap';
import { allButAdmin, assertRefused, bench } from './bench.ts';

/** CVE-2026-33808: with `//` and `;`, the check saw another path than the handler. */
t.test('advisory 46: repeated slashes and path parameters bypass no route', async (t) => {
  const gateway = await bench(t, { routes: allButAdmin });
  const targets = [
    '//admin/x',
    '///admin/x',
    '/admin//x',
    '/;/admin/x',
    '/;a=b/admin/x',
    '/admin;/x',
    '/admin;a=b/x',
    '/admin/x;a=b',
    '/%3b/../admin/x',
    '/a//../admin/x',
    '/.;/admin/x',
    '/a/..;/admin/x',
  ];
  await assertRefused(t, gateway, targets);
});

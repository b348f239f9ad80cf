import t from 'tap';
import { routes } from '../support/gateway.ts';
import { assertRefused, bench } from './bench.ts';

const keeping = routes.map((route) => ({ ...route, encoded_slashes: 'keep', path_parameters: 'keep' }));

/** CVE-2026-42274: the rule ignored dot segments between encoded slashes, but the upstream did not. */
t.test(
  'advisory 8: dot segments between encoded slashes and before parameters are found, where both are kept',
  async (t) => {
    const gateway = await bench(t, { routes: keeping });
    await assertRefused(t, gateway, [
      '/public/..%2fadmin/x',
      '/public/..%2Fadmin/x',
      '/public/%2e%2e%2fadmin/x',
      '/public/a%2f..%2f..%2fadmin/x',
      '/public/a%2F.%2e%2f%2E%2E%2fadmin/x',
      '/public/a%2f..',
      '/public/..;/admin/x',
      '/public/..;a=b/admin/x',
      '/public/%2e%2e;a=b%2fadmin/x',
    ]);
    for (const target of ['/public/a%2fb', '/public/a%2Fb;c=..d', '/public/..a%2fb..'])
      t.equal((await gateway.send({ target })).status, 200, target);
  },
);

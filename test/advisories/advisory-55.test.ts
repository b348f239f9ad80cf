import t from 'tap';
import { allButAdmin, assertRefused, bench } from './bench.ts';

/** CVE-2021-29492: the rule did not compare escaped slashes and repeated slashes as the upstream read them. */
t.test('advisory 55: %2F, %5C and repeated slashes are 400, so that no path has two readings', async (t) => {
  const gateway = await bench(t, { routes: allButAdmin });
  const separators = ['%2F', '%2f', '%5C', '%5c', '\\', '//', '/%2F', '%2F/', '/%5C', '%252F', '%255c'];
  await assertRefused(
    t,
    gateway,
    separators.flatMap((each) => [`/admin${each}x`, `/a${each}admin${each}x`, `/a${each}..${each}admin/x`]),
  );
});

import t from 'tap';
import { allButAdmin, assertRefused, bench } from './bench.ts';

/** CVE-2021-29492: escaped slashes and slashes in a row were not what the rule compared with. */
t.test('advisory 55: %2F, %5C and slashes in a row are 400, so that none is read in two ways', async (t) => {
  const gateway = await bench(t, { routes: allButAdmin });
  const separators = ['%2F', '%2f', '%5C', '%5c', '\\', '//', '/%2F', '%2F/', '/%5C', '%252F', '%255c'];
  await assertRefused(
    t,
    gateway,
    separators.flatMap((each) => [`/admin${each}x`, `/a${each}admin${each}x`, `/a${each}..${each}admin/x`]),
  );
});

import t from 'tap';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { allButAdmin, assertRefused, bench } from './bench.ts';

const targets = [
  '//x/admin',
  '///x/admin',
  '//api.example.com/admin',
  '//user@x/admin',
  '//[::1]/admin',
  '//x:80/admin',
  '/\\x/admin',
  '\\\\x/admin',
  'http:///admin',
  'http:/admin',
  'http:admin',
  'http://x/admin',
  'admin',
  '//',
];

/** CVE-2026-26205: `//x/admin` was parsed as the authority `x` and the path `/admin`. */
t.test(
  'advisory 59: two slashes at the beginning are no authority, and a target that has another one is 400',
  async (t) => {
    const gateway = await bench(t, { routes: allButAdmin });
    await assertRefused(t, gateway, targets);
    const token = bearer(await jwt({ scope: 'admin' }, { alg: 'HS256' }));
    for (const target of targets) t.equal((await gateway.send({ target, headers: [token] })).status, 400, target);
    t.equal(gateway.upstream.seen.length, 0);
    t.equal((await gateway.send({ target: 'http://api.example.com/admin', headers: [token] })).status, 200);
    t.equal(gateway.upstream.seen[0]?.target, '/admin');
  },
);

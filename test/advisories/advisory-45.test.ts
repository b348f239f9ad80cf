import t from 'tap';
import { allButAdmin, bench } from './bench.ts';

const spellings = [
  '/admin/x',
  '/%61dmin/x',
  '/adm%69n/x',
  '/%61%64%6d%69%6E/x',
  '/admin',
  '/%61dmin',
  '/admin/',
  '/admin?x',
];

/** CVE-2026-22031, CVE-2026-2880: the checks for a path did not run for another spelling of the path. */
t.test('advisory 45: every spelling of a path needs what the path needs, with every method', async (t) => {
  const { send, upstream } = await bench(t, { routes: allButAdmin });
  for (const target of spellings)
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'get', 'PROPFIND'])
      t.ok([400, 401].includes((await send({ method, target })).status), `${method} ${target}`);
  t.equal(upstream.seen.length, 0);
  t.equal((await send({ target: '/other' })).status, 200, 'the rest stands open');
});

t.test('advisory 45: a change of case does not bypass it, even if the upstream ignores case', async (t) => {
  const url = (await bench(t)).upstream.url;
  const { send } = await bench(t, { upstreams: { api: { url, case_sensitive: false } }, routes: allButAdmin });
  for (const target of ['/ADMIN/x', '/Admin/x', '/%41dmin/x', '/aDMI%4e', ...spellings])
    t.equal((await send({ target })).status, 401, target);
  t.equal((await send({ target: '/OTHER' })).status, 200, 'the rest stands open');
});

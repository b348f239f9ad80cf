import t from 'tap';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { allButAdmin, assertRefused, bench } from './bench.ts';

/** CVE-2026-41059, CVE-2023-47106: text after a fragment sign decided which rule applied to a request. */
t.test('advisories 16 and 36: a request target with a fragment is 400, even with a token', async (t) => {
  const gateway = await bench(t);
  await assertRefused(t, gateway, [
    '/public/a#',
    '/public#/../admin/x',
    '/admin/x#/public/a',
    '/admin/x?a=b#/public/a',
    '#/public/a',
    'http://api.example.com/admin/x#/public/a',
  ]);
  const token = bearer(await jwt({ scope: 'admin' }, { alg: 'HS256' }));
  t.equal((await gateway.send({ target: '/admin/x#/public/a', headers: [token] })).status, 400);
});

t.test('advisories 16 and 36: %23 is an ordinary character', async (t) => {
  const gateway = await bench(t, { routes: allButAdmin });
  for (const target of ['/admin/x%23/public/a', '/admin/%23', '/admin/x?a=%23/public'])
    t.equal((await gateway.send({ target })).status, 401, target);
  for (const target of ['/public/a%23b', '/public/%23/admin/x', '/public/a?b=%23']) {
    t.equal((await gateway.send({ target })).status, 200, target);
    t.equal(gateway.upstream.seen.pop()?.target, target);
  }
});

import t from 'tap';
import { asks, problemOf } from '../support/asking.ts';
import { bearer, requestText } from '../support/request-text.ts';
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
  'advisory 59: a target that begins with two slashes has no authority, and a target with another authority is 400',
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

const told = (path: string, fields: Readonly<Record<string, string>>) =>
  requestText({ target: path, headers: Object.entries(fields) });

const asNginx = (url: string, method = 'GET') => told('/nginx', { 'X-Original-Method': method, 'X-Original-URL': url });
const asNginxUri = (uri: string) => told('/nginx/uri', { 'X-Original-Method': 'GET', 'X-Original-URI': uri });
const asForwardAuth = (uri: string) =>
  told('/forward-auth', {
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Host': 'api.example.com',
    'X-Forwarded-Uri': uri,
  });

t.test(
  'advisory 59: a target from a proxy begins with a slash directly after the host; every other form is 400',
  async (t) => {
    const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
    const gateway = await bench(t, { routes: allButAdmin, ...decision });
    const hosts = [
      'api.example.com:80?',
      'api.example.com?',
      'api.example.com#',
      'api.example.com*',
      'api.example.com?x',
    ];
    const unclear = [
      ...hosts.map((host) => asNginx(`http://${host}/admin/users`)),
      ...['http://api.example.com', 'http://api.example.com?a=b', 'http://api.example.com*/admin'].map((url) =>
        asNginx(url),
      ),
      ...['http://api.example.com/public', 'http://a?/admin/x', 'admin', '?/admin', '*/admin'].flatMap((target) => [
        asNginxUri(target),
        asForwardAuth(target),
      ]),
    ];
    for (const bytes of unclear) {
      const response = await asks(gateway, bytes);
      t.strictSame([response.status, problemOf(response).code], [500, 'question_unclear'], bytes.toString());
    }
    t.equal((await asks(gateway, asNginx('http://api.example.com:80/public'))).status, 200);
    t.equal((await asks(gateway, asNginx('http://api.example.com:80/admin'))).status, 401);
    t.equal(problemOf(await asks(gateway, asNginx('http://api.example.com*', 'OPTIONS'))).code, 'route_not_found');
    t.equal(problemOf(await asks(gateway, asNginx('http://api.example.com*'))).code, 'target_malformed');
  },
);

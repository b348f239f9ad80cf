import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const routes = [
  {
    id: 'tenant',
    match: { host: '{tenant}.api.example.com', path: '/{rest*}' },
    access: 'authenticated',
    claims: { tenant: { equals: 'host.tenant' } },
  },
  { id: 'said', match: { path: '/said' }, access: 'authenticated', when: 'request.headers["host"] == request.host' },
  { id: 'public', match: { path: '/{rest*}' }, access: 'public' },
];

const forwarded = { from: ['127.0.0.1'], host: 'forwarded' };

type Lines = readonly (readonly [name: string, value: string])[];

async function bench(t: Test, trusted: unknown, upstream: object = {}) {
  const seen = await witness(t);
  const changes = { routes, trusted_proxies: trusted, admin: '127.0.0.1:0' };
  const upstreams = { api: { url: seen.url, ...upstream } };
  const running = await gateway(t, behind(seen.url, { ...changes, upstreams }));
  const token = bearer(await jwt({ tenant: 'mallory' }, { alg: 'HS256' }));
  const send = (host: string, headers: Lines, target = '/a') =>
    ask(running.port, requestText({ target, host, headers: [token, ...headers] }));
  return { ...running, upstream: seen, send };
}

const told = (value: string) => ['X-Forwarded-Host', value] as const;
const MALLORY = 'mallory.api.example.com';
const ACME = 'acme.api.example.com';

for (const engine of ['undici', 'own'])
  t.test(`${engine}: the upstream gets the host that is judged`, async (t) => {
    const { send, upstream, log, adminUrl } = await bench(t, ['127.0.0.1'], { engine });
    for (let count = 0; count < 3; count++) t.equal((await send(MALLORY, [told(ACME)])).status, 200);
    for (const seen of upstream.seen.splice(0)) {
      t.equal(seen.header('host'), MALLORY);
      t.equal(seen.header('x-forwarded-host'), MALLORY);
      t.match(seen.header('forwarded'), `host=${MALLORY};`);
      t.notMatch(JSON.stringify(seen.rawHeaders), ACME);
    }
    const warned = log.filter((record) => 'x_forwarded_host' in record);
    t.match(warned, [{ level: 40, host: MALLORY, x_forwarded_host: ACME, proxy: '127.0.0.1', msg: /host: forwarded/ }]);
    t.equal(warned.length, 1, 'logged once');
    t.match(await (await fetch(`${adminUrl}/metrics`)).text(), /^gatehouse_forwarded_host_ignored_total 3$/m);
    t.equal((await send(ACME, [told(MALLORY)])).status, 403);
    t.equal((await send(MALLORY, [told(`${MALLORY.toUpperCase()}.:8443`)])).status, 200);
    t.equal(
      upstream.seen[0]?.header('x-forwarded-host'),
      `${MALLORY.toUpperCase()}.:8443`,
      'the same host, with its port',
    );
  });

for (const engine of ['undici', 'own'])
  t.test(
    `${engine}: with \`host: forwarded\` the host of X-Forwarded-Host is judged, and forwarded everywhere`,
    async (t) => {
      const { send, upstream, log } = await bench(t, forwarded, { engine });
      t.equal((await send(MALLORY, [told(ACME)])).status, 403, 'judged');
      t.equal((await send('internal.example', [told(MALLORY)])).status, 200);
      t.equal((await send('internal.example', [told('said.example:8443')], '/said')).status, 403, 'with its port');
      t.equal((await send('internal.example', [told('said.example')], '/said')).status, 200, '`when` sees one host');
      for (const [index, host] of [MALLORY, 'said.example'].entries()) {
        const seen = upstream.seen[index];
        t.strictSame([seen?.header('host'), seen?.header('x-forwarded-host')], [host, host]);
        t.match(seen?.header('forwarded'), `host=${host};`);
        t.notMatch(JSON.stringify(seen?.rawHeaders), 'internal.example');
      }
      t.match(log.at(-1), { host: 'said.example' }, 'and recorded');
      t.equal((await send(MALLORY, [])).status, 200, 'where there is none, Host is judged');
      t.strictSame(
        log.filter((record) => 'x_forwarded_host' in record),
        [],
      );
    },
  );

t.test('with `host: forwarded` a bad, repeated or list value is 400', async (t) => {
  const { send, upstream } = await bench(t, forwarded);
  const bad: readonly Lines[] = [
    [told('a b')],
    [told('')],
    [told('user@a.example')],
    [told('a.example/x')],
    [told('a.example?')],
    [told(`${ACME}, ${MALLORY}`)],
    [told(MALLORY), told(MALLORY)],
    [told(MALLORY), ['x-forwarded-host', ACME]],
  ];
  for (const headers of bad) t.equal((await send('internal.example', headers)).status, 400, JSON.stringify(headers));
  t.equal((await send('a b', [told(MALLORY)])).status, 400, 'a bad Host too');
  t.strictSame(upstream.seen, []);
});

t.test('with `host: forwarded` only a trusted proxy counts', async (t) => {
  const { send, upstream } = await bench(t, { ...forwarded, from: ['10.0.0.0/8'] });
  t.equal((await send(MALLORY, [told(ACME)])).status, 200);
  t.equal(upstream.seen[0]?.header('x-forwarded-host'), MALLORY);
});

t.test('over HTTP/2 :authority is the host that is judged', async (t) => {
  const upstream = await http2Upstream(t);
  const upstreams = { api: { url: upstream.url, http2: true } };
  const { port } = await gateway(t, behind(upstream.url, { routes, trusted_proxies: forwarded, upstreams }));
  const headers = [bearer(await jwt({ tenant: 'mallory' }, { alg: 'HS256' })), told(MALLORY)];
  t.equal((await ask(port, requestText({ target: '/a', host: 'internal.example', headers }))).status, 200);
  const [seen] = upstream.seen;
  t.equal(seen?.headers[':authority'], MALLORY);
  t.equal(seen?.headers['x-forwarded-host'], MALLORY);
});

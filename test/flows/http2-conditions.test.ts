import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'plain', match: { path: '/a' }, scope: 'read' },
  { id: 'beta', match: { path: '/a', headers: { Cookie: 'a=1; beta=2' } }, scope: 'beta' },
  { id: 'named', match: { host: 'api.example.com', path: '/b' }, scope: 'read' },
  { id: 'said', match: { path: '/c' }, scope: 'read', when: 'request.headers["host"] == "api.example.com"' },
];

async function bench(t: Test, engine: string) {
  const upstream = await witness(t);
  const upstreams = { api: { url: upstream.url, engine } };
  const { port } = await gateway(t, behind(upstream.url, { ...http2Listen(), routes, upstreams }));
  const session = await http2Client(t, port);
  const authorization = `Bearer ${await jwt({ scope: 'read' }, { alg: 'HS256' })}`;
  const send = (path: string, more: Record<string, string | string[]> = {}) =>
    askHttp2(session, { ':path': path, ':authority': 'api.example.com', authorization, ...more });
  return { upstream, send };
}

for (const engine of ['undici', 'own']) {
  t.test(`${engine}: a condition on a cookie sees the pieces of HTTP/2 as one line`, async (t) => {
    const { send, upstream } = await bench(t, engine);
    t.equal((await send('/a', { cookie: ['a=1', 'beta=2'] })).status, 403, 'judged by the route of the condition');
    t.equal((await send('/a', { cookie: 'a=1; beta=2' })).status, 403, 'as in one line');
    t.equal((await send('/a', { cookie: ['a=1', 'b=3', 'c=4'] })).status, 200);
    t.strictSame(
      upstream.seen.map((seen) => seen.all('cookie')),
      [['a=1; b=3; c=4']],
      'and the upstream gets one line',
    );
  });

  t.test(`${engine}: a route's host, and \`when\`, use :authority`, async (t) => {
    const { send, upstream } = await bench(t, engine);
    for (const path of ['/b', '/c']) {
      t.equal((await send(path)).status, 200, path);
      t.not((await send(path, { ':authority': 'other.example.com' })).status, 200, path);
      t.equal((await send(path, { host: 'api.example.com' })).status, 200, 'a Host beside it says the same');
    }
    t.strictSame(new Set(upstream.seen.map((seen) => seen.header('host'))), new Set(['api.example.com']));
  });
}

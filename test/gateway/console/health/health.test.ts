import t from 'tap';
import { behind, gateway } from '../../../support/gateway.ts';
import { group } from '../../../support/group.ts';
import { jwt } from '../../../support/tokens.ts';
import { witness } from '../../../support/witness.ts';

/** Starts processes: 10 s on a busy machine. */
t.setTimeout(60_000);

type Json = Record<string, never> & { routes: Record<string, unknown>[] };

async function read(url: string): Promise<Json> {
  return (await (await fetch(url)).json()) as Json;
}

t.test('routes are in the order of matching, with their requests and refusals', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const authorization = `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;
  for (const path of ['/orders/1', '/orders/2', '/admin/1'])
    await fetch(running.url + path, { headers: { authorization } });
  const { routes } = await read(`${running.adminUrl}/api/routes`);
  t.match(
    routes.find(({ id }) => id === 'orders'),
    {
      at: /^gateway\.yaml:\d+$/,
      path: '/orders/{rest*}',
      access: 'scope',
      scope: ['orders.read'],
      requests: 2,
      refused: [],
    },
  );
  t.match(
    routes.find(({ id }) => id === 'admin'),
    { requests: 1, refused: [{ code: 'scope_insufficient', count: 1 }] },
  );
});

t.test('health has the state of servers and upstreams, and says what is not ready', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const health = await read(`${running.adminUrl}/api/health`);
  t.match(health, {
    gateway: /:\d+$/,
    workers: 0,
    not_ready: null,
    servers: [{ name: 'main', cached_tokens: 0 }],
    upstreams: [{ upstream: 'api', url: '127.0.0.1:9', up: true, breaker: 'closed' }],
    reload_failed: false,
    points: [],
  });
});

t.test('with several workers, the numbers are of all workers, and the last reload says what it opened', async (t) => {
  const upstream = await witness(t);
  const body = (access: object) => behind(upstream.url, { routes: [{ id: 'r', match: { path: '/r' }, ...access }] });
  const running = await group(t, body({ scope: 'read' }), 2);
  for (let i = 0; i < 20; i++) await fetch(`${running.url}/r`, { headers: { connection: 'close' } });
  const { routes } = await read(`${running.adminUrl}/api/routes`);
  t.match(routes, [{ id: 'r', requests: 20, refused: [{ code: 'credential_missing', count: 20 }] }]);
  t.match(await read(`${running.adminUrl}/api/reload`), { at: null });
  t.equal((await running.take(body({ access: 'public' }), 2)).status, 200);
  t.match(await read(`${running.adminUrl}/api/reload`), { at: Number, changes: [{ change: 'opened', path: '/r' }] });
});

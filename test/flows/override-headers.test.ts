import t, { type Test } from 'tap';
import { rules } from '../commands/rules.ts';
import { asEnvoy, asks } from '../support/asking.ts';
import { command } from '../support/command.ts';
import { behind, gateway } from '../support/gateway.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const names = [
  'X-Original-URL',
  'X-Original-URI',
  'X-Rewrite-URL',
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Override-URL',
  'X-HTTP-Path-Override',
  'X-Original-Method',
];

const spellings = names.flatMap((name) => [
  name,
  name.toLowerCase(),
  name.toUpperCase(),
  name.replaceAll('-', '_'),
  name.replace('-', '_').toLowerCase(),
  name.replaceAll('-', '.'),
]);

const routes = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
  { id: 'passes', match: { path: '/passes' }, access: 'public', pass_headers: ['X-HTTP-Method-Override'] },
];

async function bench(t: Test, changes: object = {}, upstream: object = {}) {
  const seen = await witness(t);
  const upstreams = { api: { url: seen.url, ...upstream } };
  const running = await gateway(t, behind(seen.url, { routes, upstreams, ...changes }));
  const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  const send = (target: string, headers = spellings) =>
    ask(running.port, requestText({ target, headers: [token, ...headers.map((name) => [name, 'mallory'] as const)] }));
  /** Which of these the upstream got. */
  const told = async (target: string, headers?: readonly string[]) => {
    t.equal((await send(target, headers as string[] | undefined)).status, 200, target);
    return seen.seen
      .splice(0)
      .flatMap(({ rawHeaders }) => rawHeaders.filter((_, at) => rawHeaders[at + 1] === 'mallory'));
  };
  return { ...running, told };
}

for (const engine of ['undici', 'own'])
  t.test(`${engine}: headers that name another path or method are dropped on every route`, async (t) => {
    const { told } = await bench(t, { limits: { header_count: 200 } }, { engine });
    for (const target of ['/public/a', '/orders/a']) t.strictSame(await told(target), [], target);
    t.strictSame(await told('/public/a', ['X-Original', 'X-HTTP-Methods', 'X-Rewrite']), [
      'x-original',
      'x-http-methods',
      'x-rewrite',
    ]);
    const override = /^x[-_.]http[-_.]method[-_.]override$/;
    const passed = await told('/passes');
    t.ok(passed.length >= 5 && passed.every((name) => override.test(name)), `the named one passes: ${passed}`);
  });

t.test('over HTTP/2 they are dropped as well', async (t) => {
  const upstream = await http2Upstream(t);
  const upstreams = { api: { url: upstream.url, http2: true } };
  const { port } = await gateway(t, behind(upstream.url, { routes, upstreams, limits: { header_count: 200 } }));
  const headers = spellings.map((name) => [name, 'mallory'] as const);
  t.equal((await ask(port, requestText({ target: '/public/a', headers }))).status, 200);
  t.notMatch(JSON.stringify(upstream.seen[0]?.raw), 'mallory');
});

t.test('`defaults.pass_headers` applies to routes without their own setting', async (t) => {
  const closed = { match: { path: '/closed' }, access: 'public', pass_headers: [] };
  const defaults = { upstream: 'api', pass_headers: ['X-Original-URL', 'X-Rewrite-URL'] };
  const { told } = await bench(t, { defaults, routes: [...routes, closed] });
  t.strictSame(await told('/public/a', names), ['x-original-url', 'x-rewrite-url']);
  t.strictSame(await told('/passes', names), ['x-http-method-override']);
  t.strictSame(await told('/closed', names), []);
});

t.test('in shadow mode they pass if no route to the upstream enforces, and are dropped otherwise', async (t) => {
  const { told } = await bench(t, { mode: 'shadow' });
  t.strictSame(await told('/orders/a', names), names);
  t.strictSame(await told('/nowhere', names), names);
  const enforcing = { match: { path: '/enforced' }, scope: 'admin', mode: 'enforce' };
  const mixed = await bench(t, { mode: 'shadow', routes: [...routes, enforcing] });
  t.strictSame(await mixed.told('/orders/a', names), []);
  t.strictSame(await mixed.told('/nowhere', names), []);
});

t.test('a proxy that asks is told to remove them', async (t) => {
  const running = await bench(t, { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] });
  const headers = names.map((name) => [name, 'mallory'] as const);
  const response = await asks(running, asEnvoy({ target: '/public/a', headers }));
  const cleared = response.header('x-envoy-auth-headers-to-remove')?.split(',') ?? [];
  for (const name of names)
    t.ok(cleared.includes(name.toLowerCase()) || cleared.includes(` ${name.toLowerCase()}`), name);
});

t.test('`explain` shows the request without them', async (t) => {
  const file = rules('overrides.yaml', [
    'id: drops, match: { path: /drops }, access: public',
    'id: passes, match: { path: /passes }, access: public, pass_headers: [X-Original-URL]',
  ]);
  const shown = async (path: string) => {
    const args = ['explain', '--config', file, '--json', 'GET', path, '-H', 'X-Original-URL: /x', '-H', 'X-Other: y'];
    const { stdout } = await command(t, args).ended();
    return JSON.stringify(JSON.parse(stdout).upstream);
  };
  t.match(await shown('/drops'), 'x-other');
  t.notMatch(await shown('/drops'), 'x-original-url');
  t.match(await shown('/passes'), 'x-original-url');
});

import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { type CompiledFile, compileFile } from '../../../src/gateway/diff/compiled-file.ts';
import { type Replay, replay } from '../../../src/gateway/diff/replay.ts';
import { type Code, codes } from '../../../src/gateway/message/codes.ts';
import fc from '../../support/properties.ts';

const routes = [
  'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: { any_of: [orders.read, admin] }',
  'id: open, match: { path: "/open/{rest*}" }, access: public',
  'id: beta, match: { methods: [GET], path: /beta, headers: { x-beta: "1" } }, access: optional',
  'id: paid, match: { path: /paid, query: { plan: gold } }, claims: { plan: { equals: gold } }, access: authenticated',
  'id: form, match: { path: /form }, access: authenticated, bearer_methods_supported: [query]',
  'id: watched, match: { path: /watched }, scope: watch, mode: shadow',
];

function side(lines: readonly string[]): CompiledFile {
  const loaded = loadGatewayText(`version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
${lines.map((line) => `  - { ${line} }\n`).join('')}`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return compileFile(loaded);
}

const same = side(routes);
const read = { method: 'GET', host: 'api.example.com', path: '/orders/7', route: 'read' };

function replayed(record: object, now: CompiledFile): Promise<Replay> {
  return replay([JSON.stringify(record)], same, now);
}

const record = fc.record(
  {
    method: fc.constantFrom('GET', 'POST', 'OPTIONS', 'CONNECT'),
    host: fc.constantFrom('api.example.com', 'a b'),
    path: fc.constantFrom('/orders/7', '/orders', '/open/x', '/beta', '/paid', '/form', '/watched', '/a/../b', '*'),
    route: fc.constantFrom('read', 'open', 'beta', 'paid', 'form', 'watched', 'gone'),
    subject: fc.constant('alice'),
    client: fc.constant('shop'),
    cache: fc.constant('hit'),
    scope_held: fc.constantFrom(['orders.read'], ['other'], []),
    shadow: fc.constantFrom('pass', ...Object.keys(codes)),
  },
  { requiredKeys: ['method', 'path'] },
);

for (const code of [...Object.keys(codes), 'forwarded']) {
  t.test(`a recorded ${code} is no change between a file and itself, whatever else its line says`, async () => {
    await fc.assert(
      fc.asyncProperty(record, async (line) => (await replayed({ ...line, code }, same)).changed.length === 0),
      { numRuns: 60 },
    );
  });
}

t.test('a value that never was a token is judged as such, so its answer changes with the route', async (t) => {
  const opened = side(['id: read, match: { path: "/orders/{id}" }, access: public']);
  for (const code of ['credential_malformed', 'credential_repeated'] satisfies Code[]) {
    t.match(await replayed({ ...read, code }, same), { changed: { length: 0 }, undecided: 0 }, code);
    t.match((await replayed({ ...read, code }, opened)).changed, [{ was: `400 ${code}`, now: 'forwarded' }], code);
  }
});

t.test('a request that the log cannot reproduce is undecided, not changed', async (t) => {
  const [, ...others] = routes;
  const changed = side(['id: read, match: { path: "/orders/{id}" }, access: public', ...others]);
  for (const code of ['target_other_host', 'body_too_large', 'identity_unrepresentable'] satisfies Code[]) {
    t.match(
      await replayed({ ...read, code, cache: 'hit' }, changed),
      { requests: 1, undecided: 1, changed: { length: 0 } },
      code,
    );
  }
});

t.test('the log has no Origin header, so a new list of origins leaves a request undecided', async (t) => {
  const [, ...others] = routes;
  const listed = side(['id: read, match: { path: "/orders/{id}" }, access: public, origins: []', ...others]);
  t.match(await replayed({ ...read, code: 'forwarded' }, listed), { undecided: 1, changed: { length: 0 } });
});

t.test('a would-be refusal in shadow mode is a refusal for the same reason once it is enforced', async (t) => {
  const enforced = side(['id: watched, match: { path: /watched }, scope: watch']);
  const line = { method: 'GET', path: '/watched', route: 'watched', code: 'forwarded', shadow: 'token_expired' };
  t.match((await replayed(line, enforced)).changed, [{ was: 'forwarded', now: '401 token_expired' }]);
});

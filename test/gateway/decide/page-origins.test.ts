import t from 'tap';
import { refusedOrigin } from '../../../src/gateway/decide/page-origins.ts';
import { headOf } from '../head.ts';
import { bearer, decider } from './decider.ts';

const shop = 'https://shop.example';
const evil = 'https://evil.example';
const from = (...origins: readonly string[]) => origins.flatMap((origin) => ['Origin', origin]);
const list = new Set([shop, 'http://localhost:3000']);

t.test('a page may call if its whole origin is in the list, whatever the case of scheme and host', async (t) => {
  for (const origin of [shop, 'HTTPS://Shop.Example', 'http://localhost:3000'])
    t.equal(refusedOrigin(list, headOf(from(origin))), undefined, origin);
  for (const origin of [
    evil,
    'null',
    '',
    '*',
    `${shop}/`,
    `${shop}:443`,
    `${shop}:8443`,
    'http://shop.example',
    'https://a.shop.example',
    'https://shop.example.evil',
    'http://localhost',
    `${shop} ${evil}`,
    `${shop}, ${evil}`,
    `${shop}\xa0`,
  ])
    t.match(refusedOrigin(list, headOf(from(origin))), /^the origin .* is not in `origins`$/, origin);
});

t.test('two Origin headers are refused, even if both are in the list', async (t) => {
  t.equal(refusedOrigin(list, headOf(from(shop, shop))), 'the request has 2 Origin headers');
});

t.test('a request without an Origin header passes', async (t) => {
  t.equal(refusedOrigin(list, headOf()), undefined);
});

t.test('an empty list accepts no page, and `null` is an origin only if the list has it', async (t) => {
  t.match(refusedOrigin(new Set(), headOf(from(shop))), /is not in/);
  t.equal(refusedOrigin(new Set(['null']), headOf(from('null'))), undefined);
});

t.test('the log gets a part of a long origin', async (t) => {
  t.match(refusedOrigin(list, headOf(from('e'.repeat(128)))), /^the origin e{128} is not/);
  t.match(refusedOrigin(list, headOf(from(`https://${'e'.repeat(9000)}`))), /^the origin https:\/\/e{120}… is not/);
});

const match = (path: string, methods?: readonly string[]) => ({ path, ...(methods && { methods }) });
const file = {
  cors: { origins: ['*'] },
  routes: [
    { id: 'tools', match: match('/tools', ['GET', 'POST']), scope: 'orders.read', origins: [shop] },
    { id: 'remove', match: match('/tools', ['DELETE']), scope: 'orders.read' },
    { id: 'open', match: match('/open'), access: 'public', origins: [shop] },
    { id: 'own', match: match('/own'), access: 'public', origins: [shop], cors: 'upstream' },
    { id: 'watched', match: match('/watched'), scope: 'orders.read', origins: [shop], mode: 'shadow' },
  ],
};
const engine = decider(file);

t.test(
  'the page is judged before the credential, on public routes too, and the refusal has no challenge',
  async (t) => {
    for (const [line, headers] of [
      ['GET /tools', []],
      ['POST /tools', bearer],
      ['GET /open', []],
      ['OPTIONS /open', []],
      ['GET /own', []],
    ] as const) {
      const outcome = await engine.decide({ line, headers: [...headers, ...from(evil)] });
      t.match(outcome, { kind: 'refuse', code: 'origin_refused', challenges: { length: 0 } }, line);
    }
    t.match(await engine.decide({ line: 'GET /tools', headers: from(shop) }), { code: 'credential_missing' });
    t.match(await engine.decide({ line: 'GET /tools', headers: [...bearer, ...from(shop)] }), { kind: 'forward' });
    t.match(await engine.decide({ line: 'GET /tools', headers: bearer }), { kind: 'forward' });
    t.match(await engine.decide({ line: 'DELETE /tools', headers: [...bearer, ...from(evil)] }), { kind: 'forward' });
  },
);

t.test(
  'an allowed Origin header that Connection names is refused, because the upstream would not get it',
  async (t) => {
    const headers = [...bearer, ...from(shop), 'Connection', 'origin'];
    t.match(await engine.decide({ line: 'GET /tools', headers }), { code: 'connection_names_decisive' });
  },
);

const preflight = (method: string, origin: string) => [...from(origin), 'Access-Control-Request-Method', method];

t.test('a preflight of a page that may not call is refused, also where the upstream answers preflights', async (t) => {
  const asked = (path: string, method: string, origin: string) =>
    engine.route({ line: `OPTIONS ${path}`, headers: preflight(method, origin) });
  t.match(asked('/tools', 'POST', evil), { kind: 'refuse', code: 'origin_refused', route: { id: 'tools' } });
  t.match(asked('/own', 'GET', evil), { kind: 'refuse', code: 'origin_refused' });
  t.match(asked('/tools', 'POST', shop), { kind: 'reply', status: 204 });
  t.match(asked('/own', 'GET', shop), { kind: 'routed', preflight: true });
  t.match(asked('/tools', 'DELETE', evil), { kind: 'reply', status: 204 }, 'this route has no list');
});

t.test('in shadow mode the refusal is only recorded', async (t) => {
  const shadow = { kind: 'refuse', code: 'origin_refused', detail: `the origin ${evil} is not in \`origins\`` };
  t.match(await engine.decide({ line: 'GET /watched', headers: from(evil) }), { kind: 'forward', shadow });
  const asked = engine.route({ line: 'OPTIONS /watched', headers: preflight('GET', evil) });
  t.match(asked, { kind: 'reply', status: 204 });
  const alone = decider({ mode: 'shadow', routes: file.routes });
  const judged = await alone.decide({ line: 'OPTIONS /tools', headers: preflight('POST', evil) });
  t.match(judged, { kind: 'forward', shadow: { code: 'origin_refused' } });
});

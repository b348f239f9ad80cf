import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { openings } from '../../../src/gateway/diff/openings.ts';

function loaded(routes: readonly string[]) {
  const text = `version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
${routes.map((route) => `  - { ${route} }\n`).join('')}`;
  const file = loadGatewayText(text, { file: 'gateway.yaml' });
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file;
}

const read = 'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read';

/** All of these were refused before, also without a token. */
const openers: Record<string, readonly string[]> = {
  'a new route that requires a scope': [read, 'id: new, match: { path: /invoices }, scope: orders.read'],
  'a new route for every token': [read, 'id: new, match: { path: /invoices }, access: authenticated'],
  'a wider path': [read.replace('/orders/{id}', '/{rest*}')],
  'a moved path': [read.replace('/orders/{id}', '/invoices/{id}')],
  'a further method': [read.replace('[GET]', '[GET, DELETE]')],
  'an easier scope': [read.replace('scope: orders.read', 'scope: { any_of: [orders.read, orders.list] }')],
};

for (const [name, after] of Object.entries(openers)) {
  t.test(`${name} is more access, so a file that was changed in place waits`, async (t) => {
    const { opened } = await openings(loaded([read]), loaded(after));
    t.ok(opened.length > 0);
    for (const line of opened) t.match(line, /was refused with \d+ .*, now forwarded by /);
  });
}

const closers: Record<string, readonly string[]> = {
  'the same file': [read],
  'one of the paths': ['id: other, match: { methods: [GET], path: /orders/1 }, scope: orders.read'],
  'a further scope': [read.replace('scope: orders.read', 'scope: orders.read orders.list')],
  'a narrower path': [read.replace('/orders/{id}', '/orders/7')],
};

for (const [name, after] of Object.entries(closers)) {
  t.test(`${name} is not more access, so it loads by itself`, async (t) => {
    t.strictSame(await openings(loaded([read]), loaded(after)), { opened: [], doubtful: [] });
  });
}

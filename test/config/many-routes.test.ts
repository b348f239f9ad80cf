import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { gatewayChecks } from '../../src/config/rules/gateway.ts';
import { gatewaySubject } from '../../src/config/rules/subject.ts';

/** Thousands of routes take 6 s, and several times as long on a busy machine. */
t.setTimeout(120_000);

const head = `version: 1
authorization_servers:
  main: { issuer: https://auth.example.com }
upstreams:
  api: { url: http://127.0.0.1:9000 }
defaults: { upstream: api }
routes:
`;

type Line = (index: number) => string;

/** The ways in which routes of a large file differ. Each was once a reason to compare every route with every other. */
const files: Readonly<Record<string, Line>> = {
  'public and protected in turn': (index) => `{ match: { path: "/api/{a}/r${index}/{b}" }, ${rule(index)} }`,
  'kept spellings': (index) =>
    `{ match: { path: "/api/r${index}/{a}" }, ${rule(index)}${index % 2 === 0 ? ', encoded_slashes: keep' : ''} }`,
  'a host of its own': (index) => `{ match: { host: "{t}.h${index}.example.com", path: /a }, ${rule(index)} }`,
  'SOAP actions': (index) =>
    `{ match: { methods: [POST], path: /r${index}, soap_action: a${index} }, scope: orders.read }`,
};

function rule(index: number): string {
  return index % 2 === 0 ? 'access: public' : 'scope: orders.read';
}

function letters(index: number): string {
  return [...String(index).padStart(6, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

function text(count: number, line: Line): string {
  return head + Array.from({ length: count }, (_, index) => `  - ${line(index)}\n`).join('');
}

/** How often the checks read a value of a route. */
function looks(count: number, line: Line): number {
  const loaded = loadGatewayText(text(count, line));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  let looked = 0;
  const watch = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get(target, key, receiver) {
        looked++;
        return Reflect.get(target, key, receiver);
      },
    });
  const routes = loaded.config.routes.map(watch);
  const around = { cite: () => 'line 1', directory: '/', files: new Set<string>() };
  const subject = gatewaySubject({ ...loaded.config, health: undefined, routes } as never, [], around);
  for (const check of Object.values(gatewayChecks)) check(subject);
  return looked;
}

for (const [name, line] of Object.entries(files)) {
  t.test(`twice as many routes are read at most twice as often: ${name}`, async (t) => {
    const [few, many] = [looks(100, line), looks(200, line)];
    t.ok(few > 0 && many <= 2 * few + 100, `${few}, then ${many}`);
  });
}

t.test('a file with ten thousand routes loads like any other', async (t) => {
  const line: Line = (index) =>
    `{ id: r${index}, match: { methods: [GET, HEAD], path: "/api/{a}/r${index}/{b}/parts/{c}" }, scope: { any_of: [${letters(index)}.read, orders.read] }, audience: https://api.example.com, limits: { body: 1MiB } }`;
  const loaded = loadGatewayText(text(10_000, line));
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems.slice(0, 3)));
  t.equal(loaded.config.routes.length, 10_000);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  loadAuthorizationText,
  loadGatewayConfig,
  loadGatewayText,
  type Problem,
} from '../../../src/config/load/load.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { gatewayBase } from '../base-config.ts';

const sound = `version: 1
authorization_servers:
  main: { issuer: https://auth.example.com, audience: any }
upstreams:
  orders:
    url: http://127.0.0.1:9000
routes:
  - match: { methods: [GET], path: /orders }
    upstream: orders
    scope:
      any_of: [orders.read]
  - id: health
    match: { path: /health }
    upstream: orders
    access: public
`;

function problems(text: string, env: Record<string, string> = {}): readonly Problem[] {
  const loaded = loadGatewayText(text, { env });
  return loaded.ok ? loaded.warnings : loaded.problems;
}

const places = (text: string, env?: Record<string, string>) =>
  problems(text, env).map(({ line, column, message }) => `${line}:${column} ${message}`);

t.test('a valid file becomes a frozen configuration with ids and defaults', async (t) => {
  const loaded = loadGatewayText(sound);
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems));
  t.strictSame(
    loaded.config.routes.map(({ id }) => id),
    ['GET /orders', 'health'],
  );
  t.equal(loaded.config.limits.idle, 75_000);
  t.ok(Object.isFrozen(loaded.config) && Object.isFrozen(loaded.config.routes[0]));
  t.strictSame(loaded.warnings, []);
});

t.test('the place of a value is where a reader looks for it', async (t) => {
  const loaded = loadGatewayText(sound, { file: 'some/gateway.yaml' });
  if (!loaded.ok) return t.fail();
  const at = (...pointer: (string | number)[]) => loaded.locate(pointer);
  t.strictSame(at('routes', 0, 'match', 'path'), { file: 'some/gateway.yaml', line: 8, column: 36 });
  t.match(at('routes', 0, 'scope', 'any_of', 0), { line: 11, column: 16 });
  t.match(at('routes', 0, 'scope'), { line: 10, column: 5 }, 'a map below its key: the key');
  t.match(at('routes', 1), { line: 12, column: 5 });
  t.match(at('routes', 1, 'forward_credential'), { line: 12, column: 5 }, 'a default: the nearest place above');
  t.match(at('limits', 'idle'), { line: 1, column: 1 });
});

t.test('all problems are reported at once, in the order of the file', async (t) => {
  const text = sound
    .replace('version: 1', 'version: 1\nlimits: { idle: soon }')
    .replace('/orders }', '/orders, hots: x }')
    .replace('/health }', '"/{a}/{a}" }')
    .replace('public', 'pubic');
  t.strictSame(places(`${text}  - match: { path: /x }\n    upstream: order\n`), [
    '2:17 `soon` is not a duration',
    '9:45 unknown key `hots`',
    '16:13 `pubic` is not one of the accepted words',
    '17:5 this route has neither `scope` nor `access`',
    '18:15 there is no upstream `order`',
  ]);
});

t.test('a route that names a faulty upstream causes no second problem', async (t) => {
  t.strictSame(places(sound.replace('url: http', 'ulr: http')), ['6:5 unknown key `ulr`']);
});

t.test('a misspelled top-level key does not make everything below it wrong too', async (t) => {
  t.strictSame(places(sound.replace('upstreams:', 'upstream:')), ['4:1 unknown key `upstream`']);
});

t.test('the values below a misspelled top-level key are checked as if it were spelled right', async (t) => {
  const misspelt = sound.replace('upstreams:', 'upstream:').replace('path: /health', 'paht: /health');
  t.strictSame(places(misspelt.replace('url: http', 'ulr: http')), [
    '4:1 unknown key `upstream`',
    '6:5 unknown key `ulr`',
    '13:12 `path` is missing',
    '13:14 unknown key `paht`',
  ]);
  t.strictSame(
    places(`${sound.replace('upstreams:', 'upstream:').replaceAll('upstream: orders', 'upstream: order')}`),
    ['4:1 unknown key `upstream`', '9:15 there is no upstream `order`', '14:15 there is no upstream `order`'],
  );
});

t.test('a guess at the meaning of a key causes no further problem', async (t) => {
  t.strictSame(places(`${sound}limit: 5\n`), ['16:1 unknown key `limit`']);
  t.strictSame(
    places(`${sound}route: []\n`),
    ['16:1 unknown key `route`'],
    'where the right one stands, it is not one more',
  );
  t.strictSame(places(sound.replace('upstreams:', 'backends:')), ['4:1 unknown key `backends`']);
});

t.test('an unknown key that is not a misspelled part of the file hides nothing', async (t) => {
  const text = sound.replace('scope:', 'access: public\n    scope:');
  t.strictSame(places(`${text}verbosity: 3\n`).length, places(text).length + 1);
  t.ok(places(text).length > 0);
});

t.test('an unresolved variable is reported once, at its scalar', async (t) => {
  t.strictSame(places(sound.replace('http://127.0.0.1:9000', '${URL}')), [
    '6:10 the environment variable URL is not set',
  ]);
  t.strictSame(places(`${sound}limits: { connections: "\${N}" }\n`), ['16:24 the environment variable N is not set']);
});

t.test('a scalar that is a variable has the type of the schema, otherwise it is text', async (t) => {
  const loaded = loadGatewayText(`${sound}limits: { connections: "\${N}" }\nrealm: \${N}\ndevelopment: \${D}\n`, {
    env: { N: '12', D: 'true' },
  });
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems));
  t.match(loaded.config, { limits: { connections: 12 }, realm: '12', development: true });
  t.strictSame(places(`${sound}limits: { connections: "1\${N}" }\n`, { N: '2' }), [
    '16:24 expected a whole number, found the value',
  ]);
});

t.test("anchors, aliases and merge keys work, and the map's own keys win", async (t) => {
  const text =
    sound.replace('  - id: health', '  - &public\n    id: health') +
    `  - <<: *public\n    id: other\n    match: { path: /other }\n`;
  const loaded = loadGatewayText(text);
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems));
  t.match(loaded.config.routes[2], { id: 'other', access: 'public', match: { path: '/other' } });
  t.strictSame(places(`${sound}realm: *nowhere\n`), ['16:8 this alias (`*…`) names no anchor above it']);
  t.match(places(`${sound}limits: &l { idle: *l }\n`), [/an alias inside its own anchor/]);
  t.match(places(`${sound}log: { <<: text }\n`), [/`<<` needs a map/]);
});

t.test('a fault below an anchor is reported once', async (t) => {
  t.strictSame(places('version: 1\nupstreams:\n  a: &a { url: "" }\n  b: *a\nroutes: []\n'), [
    '3:16 the text is empty',
    '5:9 the list is empty',
  ]);
});

t.test('a few lines of aliases cannot exhaust the memory', async (t) => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  t.match(
    places(lines.join('\n')).find((told) => told.includes('100000')),
    /the file has more than 100000 values/,
  );
});

t.test('a large text behind many aliases is reported without minutes of work', async (t) => {
  const aliases = Array(90_000).fill('*a').join(', ');
  const words = /the file has more than 4194304 characters/;
  t.match(
    places(`a: &a ${'x'.repeat(1_000_000)}\nb: [${aliases}]`).find((told) => words.test(told)),
    words,
  );
  t.match(
    places(`a: &a { ${'x'.repeat(1_000)}: 1 }\nb: [${aliases}]`).find((told) => words.test(told)),
    words,
  );
});

t.test('a key that would reach a prototype is rejected', async (t) => {
  t.match(places(`${sound}__proto__: { polluted: true }\n`), [/`__proto__` cannot be a name/]);
  t.match(places(`${sound}constructor: { polluted: true }\n`), [/unknown key `constructor`/]);
  t.notOk('polluted' in {});
});

t.test('a file that is not YAML is reported once', async (t) => {
  t.strictSame(places(`${sound}a: b: c: d\n  e: [\n`).length, 1);
  t.match(places(`${sound}---\na: 1\n`), [/a second YAML document/]);
  t.match(places(`${sound}realm: !secret x\n`), [/YAML tags/]);
  t.match(places(`${sound}realm: "x\n`), [/a quote or bracket is not closed/]);
  t.match(places(`${sound}? [a, b]\n: x\n`), [/a key must be a plain word/]);
});

t.test('an open brace is reported, and not the indentation of the line after it', async (t) => {
  const routes = `${sound.slice(0, sound.indexOf('routes:'))}routes:\n  - match: { path: "/a"`;
  t.match(problems(`${routes}\n    access: public\n`), [{ hint: /an unclosed bracket above/ }]);
});

t.test('a file that is empty or not a map is reported', async (t) => {
  t.match(places(''), [/is empty; expected a map/]);
  t.match(places('- a\n'), [/expected a map of keys and values, found a list/]);
  t.match(places('text'), [/found `text`/]);
});

t.test('every unquoted parameter is reported, without errors that follow from it', async (t) => {
  const text = sound
    .replace('path: /orders }', 'path: /orders/{id} }')
    .replace('path: /health }', 'path: /{a}/{b*} }')
    .replace('[GET]', '[GET, ${METHOD}]');
  t.match(places(text), [
    /^8:29 `\$\{METHOD\}` must be quoted/,
    /^8:47 `\/orders\/\{id\}` must be quoted/,
    /^13:20 `\/\{a\}\/\{b\*\}` must be quoted/,
  ]);
});

t.test('an unreadable file is a problem, not an exception', async (t) => {
  t.match(loadGatewayConfig('/nowhere/gateway.yaml'), {
    ok: false,
    problems: [{ message: 'the file does not exist' }],
  });
  t.match(loadGatewayConfig('/'), { ok: false, problems: [{ message: /cannot be read/ }] });
});

t.test('file paths are relative to the configuration file', async (t) => {
  const directory = temporaryFolder(t);
  writeFileSync(join(directory, 'realm'), 'orders\n');
  writeFileSync(join(directory, 'gateway.yaml'), `${sound}realm: \${file:realm}\n`);
  t.match(loadGatewayConfig(join(directory, 'gateway.yaml'), {}), { ok: true, directory, config: { realm: 'orders' } });
});

t.test('each key of a client has one name in the loaded configuration', async (t) => {
  const loaded = loadAuthorizationText(
    '{version: 1, issuer: "https://a.example.com", resources: ["https://b.example.com"], clients: [{app_id: shop, app_secret: sixteen-bytes-and-more}]}',
  );
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems));
  t.match(loaded.config.clients[0], { client_id: 'shop', client_secret: 'sixteen-bytes-and-more' });
  t.notOk('app_id' in (loaded.config.clients[0] as object) || 'app_secret' in (loaded.config.clients[0] as object));
});

t.test('an error in a union is reported for the alternative that the author meant', async (t) => {
  const told = (scope: unknown) => {
    const base = gatewayBase();
    base.routes[0].scope = scope;
    return problems(JSON.stringify(base)).map(({ message }) => message);
  };
  t.strictSame(told({ any_of: ['a'], all_of: ['b'] }), ['a map is not one of the accepted forms']);
  t.strictSame(told({ any_of: ['a'], al_of: ['b'] }), ['unknown key `al_of`']);
  t.strictSame(told({ any_of: [] }), ['the list is empty']);
  t.strictSame(told({ all_of: ['a', 5] }), ['expected text, found `5`']);
  t.strictSame(told(''), ['the text is empty']);
  t.strictSame(told(5), ['`5` is not one of the accepted forms']);
  t.strictSame(told({ anyof: ['a'] }), ['a map is not one of the accepted forms']);
});

t.test('a number that is too small is reported with the smallest useful one', async (t) => {
  t.match(problems(`${sound}limits: { header_count: 0 }\n`), [{ message: '`0` is too small', hint: 'at least 1' }]);
  t.match(problems(`${sound}limits: { share: 0 }\n`), [{ message: '`0` is too small', hint: 'at least 0.01' }]);
  t.match(problems(`${sound}limits: { share: 50 }\n`), [{ message: '`50` is too large', hint: 'at most 1' }]);
  t.match(problems(`${sound}limits: { share: half }\n`), [{ message: /a number/ }]);
  t.match(problems(`${sound}limits: { header_count: 1.5 }\n`), [{ message: 'expected a whole number, found `1.5`' }]);
});

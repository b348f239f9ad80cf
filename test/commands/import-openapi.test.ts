// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { importOpenApi } from '../../src/commands/openapi/import-openapi.ts';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts the program for each command: 11 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const schemes = {
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://auth.example.com/token', scopes: {} } } },
  oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example.com/a/.well-known/openid-configuration' },
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'cookie', name: 'sid' },
};

const paths = {
  '/orders': {
    get: { operationId: 'list', security: [{ oauth: ['orders.read'] }] },
    post: { security: [{ oauth: ['orders.write'] }, { oauth: ['orders.read', 'admin'] }] },
  },
  '/orders/{order-id}': {
    get: { security: [{ oauth: ['orders.read'], oidc: ['profile'] }] },
    put: { security: [{ oauth: ['orders.write'] }] },
    delete: { security: [{ oauth: ['orders.write'] }] },
  },
  '/health': { get: { security: [] } },
  '/optional': { get: { security: [{}, { bearer: [] }] } },
  '/any': { get: { security: [{ bearer: [] }] } },
  '/silent': { get: {} },
  '/key': { get: { security: [{ key: [] }] } },
  '/either': { get: { security: [{ key: [], oauth: ['a'] }, { oauth: ['b'] }] } },
  '/files/{name}.{ext}': { get: { security: [{ oauth: ['a'] }] } },
  '/files/{other}': { get: { security: [{ oauth: ['b'] }] } },
};

function document(more: object = {}): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Orders' },
    servers: [{ url: 'https://{env}.example.com/v1/', variables: { env: { default: 'api' } } }, { url: '/x' }],
    components: { securitySchemes: schemes },
    paths,
    ...more,
  };
}

function imported(source: object): string {
  const result = importOpenApi(JSON.stringify(source));
  if (result.kind === 'fault') throw new Error(result.message);
  return result.text;
}

t.test(
  'every operation becomes a route with its requirements, and methods with the same requirements share one',
  async (t) => {
    const { routes, upstreams } = parse(imported(document()));
    const of = (path: string) => routes.filter(({ match }: { match: { path: string } }) => match.path === `/v1${path}`);
    t.strictSame(of('/orders'), [
      { id: 'list', match: { methods: ['GET'], path: '/v1/orders' }, scope: 'orders.read' },
      { match: { methods: ['POST'], path: '/v1/orders' }, scope: { any_of: ['orders.write', 'admin orders.read'] } },
    ]);
    t.match(of('/orders/{order_id}'), [
      { match: { methods: ['GET'] }, scope: 'orders.read profile' },
      { match: { methods: ['PUT', 'DELETE'] }, scope: 'orders.write' },
    ]);
    t.match(of('/health'), [{ access: 'public' }]);
    t.match(of('/optional'), [{ access: 'optional' }]);
    t.match(of('/any'), [{ access: 'authenticated' }]);
    t.strictSame(upstreams, { api: { url: 'https://api.example.com' } });
  },
);

t.test('what cannot be imported becomes a comment, and never opens anything', async (t) => {
  const text = imported(document());
  const { routes } = parse(text);
  const of = (path: string) => routes.find(({ match }: { match: { path: string } }) => match.path === `/v1${path}`);
  t.equal(of('/silent').access, 'authenticated');
  t.match(text, /does not mention security for this operation: the route requires a token until you change it/);
  t.equal(of('/key').access, 'authenticated', 'no key was judged, so at least a token must be');
  t.match(text, /key is an API key \(cookie sid\)/);
  t.equal(of('/either').scope, 'b', 'the way in that needs a key too is left out');
  t.equal(of('/files/{name_ext}').scope, 'a b', 'the two cannot be told apart, so both are asked for');
  t.match(text, /the segment \{name\}\.\{ext\} became one parameter, which matches any segment/);
  t.match(text, /the route also requires what GET \/files\/\{other\} requires/);
  t.match(text, /variables in the server URL/);
  t.match(text, /another server of the document: \/x/);
  t.match(text, /issuer: "https:\/\/id\.example\.com\/a" +# from openIdConnectUrl/);
});

t.test('from a token endpoint, the issuer is guessed if the loader would accept it', async (t) => {
  const from = (tokenUrl: string) => {
    const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } };
    return imported(document({ components: { securitySchemes: { oauth } } }));
  };
  t.match(from('https://id.example.com/oauth2/token'), /issuer: "https:\/\/id\.example\.com" +# a guess from/);
  t.match(from('http://localhost:8081/oauth2/token'), /issuer: "http:\/\/localhost:8081" +# a guess from/);
  t.match(
    from('http://id.example.com/oauth2/token'),
    /issuer: "https:\/\/auth\.example\.com" +# the document does not/,
  );
});

t.test('check accepts the result, and warns only about the audience, which no document contains', async (t) => {
  const documents = {
    all: document(),
    'nothing but paths': { openapi: '3.0.3', paths: { '/': { get: {} } } },
    'odd words': document({
      info: { title: 'a\n- b: ${X}' },
      servers: [],
      paths: {
        '/${x}': {
          get: { operationId: 'null', security: [{ oauth: ['true', '${y}', 'a"b'] }, { oauth: ['true', '${y}'] }] },
        },
        '/a//b': { get: {} },
        '/e': { $ref: 'other.yaml#/x' },
        '/r': { $ref: '#/paths/~1a~1~1b' },
        'x-own': {},
        '/t': { trace: {}, options: {}, head: {} },
      },
    }),
  };
  for (const [name, source] of Object.entries(documents)) {
    const loaded = loadGatewayText(imported(source));
    t.ok(loaded.ok, `${name}: ${JSON.stringify(loaded)}`);
    if (!loaded.ok) continue;
    for (const { message } of loaded.warnings) t.match(message, /^without an `audience`/, name);
    t.ok(loaded.warnings.length <= 1, name);
  }
});

t.test('a requirement in a form that OpenAPI does not define opens nothing', async (t) => {
  const odd = ['oauth', {}, 7, ['oauth'], [null], [[]], [{ oauth: 'a' }], [{ oauth: null }], [{ nobody: [] }]];
  for (const security of odd) {
    const text = imported(document({ security: [], paths: { '/a': { get: { security } } } }));
    const { routes } = parse(text);
    t.strictSame(
      routes.map(({ access }: { access: string }) => access),
      ['authenticated'],
      JSON.stringify(security),
    );
    t.ok(loadGatewayText(text).ok);
  }
  for (const more of [{ paths: [] }, { paths: { '/a': 7, b: { get: 7 } } }, { components: 7, servers: 7, paths: null }])
    t.equal(importOpenApi(JSON.stringify(document(more))).kind, 'fault');
});

t.test('a local reference is resolved, and one that leads nowhere gives no access', async (t) => {
  const source = document({
    paths: { '/a': { $ref: '#/components/pathItems/a' }, '/b': { $ref: '#/paths/~1b' } },
    components: { securitySchemes: schemes, pathItems: { a: { get: { security: [{ oauth: ['a'] }] } } } },
  });
  const text = imported(source);
  t.match(parse(text).routes, [
    { match: { path: '/v1/a' }, scope: 'a' },
    { match: { path: '/v1/b' }, access: 'authenticated', when: 'false' },
  ]);
  t.match(
    text,
    /the reference is broken or points outside this document: the route rejects every caller until you change it/,
  );
  t.ok(loadGatewayText(text).ok);
});

t.test('a route requires everything that any operation with its requests requires', async (t) => {
  const scope = (...scopes: string[]) => ({ security: [{ oauth: scopes }] });
  const open = { security: [] };
  const cases: readonly [Record<string, object>, Record<string, unknown>][] = [
    [{ '/u/{id}.png': { get: open }, '/u/{id}': { get: scope('admin') } }, { '/u/{id}': 'admin' }],
    [{ '/u/{id}': { get: scope('admin') }, '/u/{id}.png': { get: open } }, { '/u/{id}': 'admin' }],
    [{ '/v-{x}': { get: open } }, { '/{x}': 'authenticated' }],
    [{ '/v-{x}': { get: open }, '/{t}': { get: scope('a') } }, { '/{x}': 'a' }],
    [{ '/a/{b}:public': { get: { security: [{}, { oauth: ['a'] }] } } }, { '/a/{b}': 'authenticated' }],
    [
      { '/a/{b}': { get: open }, '/{c}/d': { get: scope('admin') } },
      { '/a/{b}': 'admin', '/{c}/d': 'admin' },
    ],
    [{ '/{a}': { get: open }, '/b*': { get: scope('admin') } }, { '/{a}': 'admin' }],
    [
      { '/{a}': { get: open }, '/b': { get: scope('admin') } },
      { '/{a}': 'public', '/b': 'admin' },
    ],
    [
      { '/{a}': { get: scope('a') }, '/b': { get: open } },
      { '/{a}': 'a', '/b': 'public' },
    ],
    [
      { '/{a}': { get: scope('a') }, '/b': { post: open } },
      { '/{a}': 'a', '/b': 'public' },
    ],
    [{ '/{a}': { get: { security: [{ oauth: ['a'], key: [] }] } } }, { '/{a}': 'a' }],
  ];
  for (const [given, wanted] of cases) {
    const { routes } = parse(imported(document({ servers: [], paths: given })));
    type Route = { match: { path: string }; access?: string; scope?: unknown };
    const found = routes.map(({ match, access, scope: asked }: Route) => [match.path, access ?? asked]);
    t.strictSame(Object.fromEntries(found), wanted, JSON.stringify(given));
  }
});

t.test('too many combined scopes for a reader to judge give no access', async (t) => {
  const security = (letter: string) => Array.from({ length: 20 }, (_, index) => ({ oauth: [`${letter}${index}`] }));
  const given = { '/{a}.x': { get: { security: security('a') } }, '/{a}': { get: { security: security('b') } } };
  const text = imported(document({ servers: [], paths: given }));
  t.match(parse(text).routes, [{ access: 'authenticated', when: 'false' }]);
  t.ok(loadGatewayText(text).ok);
});

t.test('a document whose paths all overlap is rejected in bounded work', async (t) => {
  const half = Array.from({ length: 3_000 }, (_, index) => index);
  const given = [...half.map((name) => `/p${name}/{b}`), ...half.map((name) => `/{a}/q${name}`)];
  const result = importOpenApi(
    JSON.stringify(document({ paths: Object.fromEntries(given.map((path) => [path, { get: {} }])) })),
  );
  t.match(result, { kind: 'fault', message: /match the same requests/ });
});

t.test('a repeated key is rejected, because one of its requirements would be lost', async (t) => {
  const twice = 'openapi: 3.1.0\npaths:\n  /a: { get: { security: [{ o: [x] }] } }\n  /a: { get: { security: [] } }\n';
  t.match(importOpenApi(twice), { kind: 'fault', message: /the key \/a occurs twice/ });
});

t.test('the work grows with the number of paths', async (t) => {
  const paths = (count: number) =>
    Array.from({ length: count }, (_, index) => `  /p${index}/{id}: { get: { security: [{ o: [a] }] } }\n`).join('');
  const text = (count: number) => `openapi: 3.1.0\npaths:\n${paths(count)}`;
  const spent = (document: string) => {
    const before = process.cpuUsage();
    const { kind } = importOpenApi(document);
    const { user, system } = process.cpuUsage(before);
    t.equal(kind, 'yaml');
    return user + system;
  };
  const [few, many] = [text(5_000), text(40_000)];
  spent(few);
  // Eight times the paths. Quadratic work takes 64 times as long, and linear work takes 8 times as long.
  let [least, most] = [spent(few), spent(many)];
  for (let round = 0; round < 3 && most > 20 * least; round++)
    [least, most] = [Math.max(least, spent(few)), Math.min(most, spent(many))];
  t.ok(most <= 20 * least, `${most} µs for 40,000, ${least} µs for 5,000`);
});

t.test('a file that is not an OpenAPI 3 document is one sentence and exit 1', async (t) => {
  const file = join(temporaryFolder(t), 'api.yaml');
  const cases = {
    'swagger: "2.0"': /Swagger 2\.0/,
    'a: 1': /not an OpenAPI 3/,
    '- 1': /not an OpenAPI/,
    '{"a': /cannot be read as JSON/,
  };
  for (const [text, words] of Object.entries(cases)) {
    writeFileSync(file, text);
    t.match(await command(t, ['import', 'openapi', file]).ended(), { status: 1, stdout: '', stderr: words });
  }
  t.match(await command(t, ['import', 'openapi', `${file}.no`]).ended(), { status: 1, stderr: /does not exist/ });
  t.match(await command(t, ['import', 'raml', file]).ended(), { status: 2 });
  writeFileSync(file, Buffer.alloc(8 * 1024 * 1024 + 1, ' '));
  t.match(await command(t, ['import', 'openapi', file]).ended(), { status: 1, stderr: /the limit is 8 MiB/ });
  writeFileSync(file, 'openapi: 3.0.0\npaths: { /a: { get: {} } }\n');
  t.match(await command(t, ['import', 'openapi', file]).ended(), { status: 0, stdout: /path: "\/a"/ });
});

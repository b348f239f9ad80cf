// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { importOpenApi } from '../../src/commands/openapi/import-openapi.ts';
import { loadGatewayText } from '../../src/config/load.ts';
import { command } from '../support/command.ts';

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

t.test('every operation becomes a route with what it asks for, methods with equal needs in one', async (t) => {
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
});

t.test('what cannot be carried over is told in a comment, and never opens anything', async (t) => {
  const text = imported(document());
  const { routes } = parse(text);
  const of = (path: string) => routes.find(({ match }: { match: { path: string } }) => match.path === `/v1${path}`);
  t.equal(of('/silent').access, 'authenticated');
  t.match(text, /asks for nothing here, which by its rules is public/);
  t.equal(of('/key').access, 'authenticated', 'no key was judged, so at least a token must be');
  t.match(text, /key is an API key \(cookie sid\)/);
  t.equal(of('/either').scope, 'b', 'the way in that needs a key too is left out');
  t.equal(of('/files/{name_ext}').scope, 'a');
  t.match(text, /the segment \{name\}\.\{ext\} is taken whole/);
  t.match(text, /GET \/files\/\{other\}: an earlier path matches the same requests/);
  t.match(text, /variables of the server/);
  t.match(text, /another server of the document: \/x/);
  t.match(text, /issuer: "https:\/\/id\.example\.com\/a" +# from openIdConnectUrl/);
});

t.test('a token endpoint lets the issuer be guessed where the loader would take it', async (t) => {
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

t.test('check accepts what was written, and warns only of the audience, which no document says', async (t) => {
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

t.test('a requirement of a form that OpenAPI does not have opens nothing', async (t) => {
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

t.test('a local reference is followed, one in a circle is left out', async (t) => {
  const source = document({
    paths: { '/a': { $ref: '#/components/pathItems/a' }, '/b': { $ref: '#/paths/~1b' } },
    components: { securitySchemes: schemes, pathItems: { a: { get: { security: [{ oauth: ['a'] }] } } } },
  });
  const text = imported(source);
  t.match(parse(text).routes, [{ match: { path: '/v1/a' }, scope: 'a' }]);
  t.match(text, /\/b: the reference leads out/);
});

t.test('what is no OpenAPI 3 document is one sentence and exit 1', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'api.yaml');
  const cases = {
    'swagger: "2.0"': /Swagger 2\.0/,
    'a: 1': /no OpenAPI 3/,
    '- 1': /no OpenAPI/,
    '{"a': /neither JSON nor/,
  };
  for (const [text, words] of Object.entries(cases)) {
    writeFileSync(file, text);
    t.match(await command(t, ['import', 'openapi', file]).ended(), { status: 1, stdout: '', stderr: words });
  }
  t.match(await command(t, ['import', 'openapi', `${file}.no`]).ended(), { status: 1, stderr: /cannot be read/ });
  t.match(await command(t, ['import', 'raml', file]).ended(), { status: 2 });
  writeFileSync(file, 'openapi: 3.0.0\npaths: { /a: { get: {} } }\n');
  t.match(await command(t, ['import', 'openapi', file]).ended(), { status: 0, stdout: /path: "\/a"/ });
});

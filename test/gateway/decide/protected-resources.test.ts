import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { protectedResources } from '../../../src/gateway/decide/protected-resources.ts';

const place = '/.well-known/oauth-protected-resource';

function resourcesOf(file: object) {
  const loaded = loadGatewayText(
    JSON.stringify({
      version: 1,
      authorization_servers: {
        main: { issuer: 'https://auth.example.com' },
        other: { issuer: 'https://other.example.com' },
      },
      upstreams: { api: { url: 'http://127.0.0.1:9' } },
      defaults: { upstream: 'api' },
      ...file,
    }),
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const resources = protectedResources(loaded.config);
  const document = (host: string, path: string) => {
    const found = resources.find(host, path);
    return found === undefined ? undefined : JSON.parse(found);
  };
  return { resources, document, routes: loaded.config.routes };
}

const route = (id: string, more: object) => ({ id, match: { path: `/${id}` }, access: 'authenticated', ...more });

t.test(
  'the document lists what the routes of its resource require, each once, and nothing of public ones',
  async (t) => {
    const { document } = resourcesOf({
      resource: 'https://api.example.com',
      routes: [
        route('a', { access: undefined, scope: 'one two', authorization_servers: ['main'] }),
        route('b', { access: undefined, scope: { any_of: ['two', 'three'] }, authorization_servers: ['main'] }),
        route('c', { access: 'public' }),
        route('d', { bearer_methods_supported: ['header', 'body'], authorization_servers: ['main'] }),
      ],
    });
    t.strictSame(document('api.example.com', place), {
      resource: 'https://api.example.com',
      authorization_servers: ['https://auth.example.com'],
      scopes_supported: ['one', 'two', 'three'],
      bearer_methods_supported: ['header', 'body'],
    });
  },
);

t.test('the document of a tools server names the scopes for any operation, and not those of one tool', async (t) => {
  const { document } = resourcesOf({
    resource: 'https://api.example.com',
    routes: [
      route('a', { mcp: { scope: { '*': 'mcp.use', 'tools/call drop': 'admin' } } }),
      route('b', { mcp: {} }),
      route('c', {}),
    ],
  });
  t.strictSame(document('api.example.com', place).scopes_supported, ['mcp.use']);
});

t.test('the document names no scope that only implies a required one', async (t) => {
  const { document } = resourcesOf({
    resource: 'https://api.example.com',
    scopes: { admin: { implies: ['one'] } },
    routes: [route('a', { access: undefined, scope: 'one' })],
  });
  t.strictSame(document('api.example.com', place).scopes_supported, ['one']);
});

t.test('a route that names no server accepts each of them', async (t) => {
  const { document } = resourcesOf({ resource: 'https://api.example.com', routes: [route('a', {})] });
  t.strictSame(document('api.example.com', place).authorization_servers, [
    'https://auth.example.com',
    'https://other.example.com',
  ]);
});

t.test('each resource has a document at its own address, its path after the well-known part', async (t) => {
  const { document, resources, routes } = resourcesOf({
    resource: 'https://api.example.com:8443/',
    routes: [
      route('a', { access: undefined, scope: 'one' }),
      route('b', { access: undefined, scope: 'two', resource: 'https://API.example.com/v2' }),
    ],
  });
  t.strictSame(document('api.example.com', place).scopes_supported, ['one']);
  t.strictSame(document('api.example.com', `${place}/v2`).scopes_supported, ['two']);
  for (const [host, path] of [
    ['other.example.com', place],
    ['api.example.com', `${place}/v3`],
    ['api.example.com', '/v2'],
    ['api.example.com', '/'],
  ] as const)
    t.equal(document(host, path), undefined, `${host}${path}`);
  const places = routes.map((each) => resources.location(each));
  t.strictSame(places, [`https://api.example.com:8443${place}`, `https://api.example.com${place}/v2`]);
});

t.test('a file without a resource has no document, and its challenges name none', async (t) => {
  const { document, resources, routes } = resourcesOf({ routes: [route('a', {})] });
  t.equal(document('api.example.com', place), undefined);
  t.strictSame(
    routes.map((each) => resources.location(each)),
    [undefined],
  );
});

t.test('a resource that only the file names has a document too', async (t) => {
  const { document } = resourcesOf({
    resource: 'https://api.example.com',
    routes: [route('b', { resource: 'https://b.example.com' })],
  });
  t.match(document('api.example.com', place), { scopes_supported: [], bearer_methods_supported: [] });
  t.match(document('b.example.com', place), { resource: 'https://b.example.com' });
});

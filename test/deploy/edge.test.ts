import t from 'tap';
import { parse } from 'yaml';
import { overrideHeaders } from '../../src/config/words/override-headers.ts';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { type Manifest, manifests, notConforming, render } from './chart.ts';
import { blocksOf, manifestsIn } from './pages.ts';

const pages = ['kubernetes.md', 'kubernetes-sidecar.md', 'kubernetes-edge.md'];

/** The objects that make a proxy of this kind ask. The routes to the RFC 9728 documents are next to them. */
function asking(wanted: string): Manifest {
  const { objects } = manifestsIn('kubernetes-edge.md');
  return objects.find(({ kind, metadata }) => kind === wanted && metadata.name !== 'orders-metadata');
}

/** The objects from the values of a page, under the names in the page. */
function installed(values: string): { readonly text: string; readonly objects: readonly Manifest[] } {
  const { status, stdout, stderr } = render(['--values', '-'], { input: values, release: 'orders' });
  if (status !== 0) throw new Error(stderr);
  return { text: stdout, objects: manifests(stdout) };
}

for (const page of pages)
  t.test(
    `${page}: the chart accepts all values, and Kubernetes all manifests`,
    { skip: skipWithoutHelm },
    async (t) => {
      const all = blocksOf(page, 'values.yaml').filter((block) => !block.startsWith('# values.yaml: of your chart'));
      t.ok(all.length > 0);
      for (const values of all) t.equal(notConforming(installed(values).text), '', values);
      t.equal(notConforming(manifestsIn(page).text), '');
    },
  );

t.test('the values in the page produce the gateway.yaml in the page', { skip: skipWithoutHelm }, async (t) => {
  for (const page of pages) {
    const [values = ''] = blocksOf(page, 'values.yaml');
    const [file] = blocksOf(page, 'gateway.yaml', 'yaml');
    const made = installed(values).objects.find(({ kind }) => kind === 'ConfigMap').data['gateway.yaml'];
    t.strictSame({ admin: '127.0.0.1:9901', ...parse(file ?? '') }, parse(made), page);
  }
});

t.test("every proxy asks the chart's Service, at the path for its kind", { skip: skipWithoutHelm }, async (t) => {
  const [values = ''] = blocksOf('kubernetes-edge.md', 'values.yaml');
  const service = installed(values).objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-decision'),
  );
  const { name, port } = { name: service.metadata.name, port: service.spec.ports[0].port };
  const inCluster = `http://${name}.shop.svc.cluster.local:${port}`;

  const of = asking;
  t.match(of('SecurityPolicy').spec.extAuth.http, { path: '/envoy', backendRefs: [{ name, port }] });
  t.equal(of('SecurityPolicy').spec.extAuth.failOpen, false);
  t.equal(of('Ingress').metadata.annotations['nginx.ingress.kubernetes.io/auth-url'], `${inCluster}/nginx`);
  t.equal(of('Middleware').spec.forwardAuth.address, `${inCluster}/forward-auth`);

  const [mesh = ''] = blocksOf('kubernetes-edge.md', 'mesh configuration');
  const [provider] = parse(mesh).meshConfig.extensionProviders;
  t.equal(of('AuthorizationPolicy').spec.provider.name, provider.name);
  const { service: host, port: at, pathPrefix, failOpen } = provider.envoyExtAuthzHttp;
  t.strictSame([`http://${host}:${at}`, pathPrefix, failOpen], [inCluster, '/envoy', false]);
});

t.test(
  'every proxy forwards each identity header, and none that only the client sent',
  { skip: skipWithoutHelm },
  async (t) => {
    const of = asking;
    const [mesh = ''] = blocksOf('kubernetes-edge.md', 'mesh configuration');
    const istio = parse(mesh).meshConfig.extensionProviders[0].envoyExtAuthzHttp;
    const { extAuth } = of('SecurityPolicy').spec;
    const nginx: string = of('Ingress').metadata.annotations['nginx.ingress.kubernetes.io/auth-response-headers'];
    const traefik = new RegExp(of('Middleware').spec.forwardAuth.authResponseHeadersRegex.replace('(?i)', ''), 'i');
    for (const name of ['x-auth-subject', 'x-auth-client', 'x-auth-scope']) {
      for (const names of [extAuth.headersToExtAuth, extAuth.http.headersToBackend]) t.ok(names.includes(name), name);
      for (const names of [istio.includeRequestHeadersInCheck, istio.headersToUpstreamOnAllow])
        t.ok(names.includes(name), name);
      t.ok(nginx.toLowerCase().split(',').includes(name), name);
      t.match(name, traefik);
    }
  },
);

t.test('every proxy removes headers that name another path or method', async (t) => {
  const of = (kind: string, name: string) =>
    manifestsIn('kubernetes-edge.md').objects.find((each) => each.kind === kind && each.metadata.name === name);
  const { customRequestHeaders } = of('Middleware', 'no-overrides').spec.headers;
  const cleared: Record<string, readonly string[]> = {
    'Envoy Gateway': of('HTTPRoute', 'orders').spec.rules[0].filters[0].requestHeaderModifier.remove,
    Istio: of('VirtualService', 'orders').spec.http[0].headers.request.remove,
    'ingress-nginx': Object.keys(of('ConfigMap', 'no-overrides').data),
    Traefik: Object.keys(customRequestHeaders),
  };
  for (const [proxy, names] of Object.entries(cleared))
    for (const name of overrideHeaders) t.ok(names.includes(name), `${proxy}: ${name}`);
  for (const name of overrideHeaders) t.equal(customRequestHeaders[name.replaceAll('-', '_')], '', name);
  t.equal(of('IngressRoute', 'orders').spec.routes[0].middlewares[0].name, 'no-overrides');
});

t.test(
  'the documents of RFC 9728 come from the gateway, without a decision request',
  { skip: skipWithoutHelm },
  async (t) => {
    const [values = ''] = blocksOf('kubernetes-edge.md', 'values.yaml');
    const { metadata, spec } = installed(values).objects.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-gateway'),
    );
    const [name, port] = [metadata.name, spec.ports[0].port];
    const { objects } = manifestsIn('kubernetes-edge.md');
    const beside = (wanted: string) =>
      objects.find((each) => each.kind === wanted && each.metadata.name === 'orders-metadata');
    const [rule] = beside('HTTPRoute').spec.rules;
    t.strictSame(rule.backendRefs, [{ name, port }]);
    t.equal(asking('SecurityPolicy').spec.targetRefs[0].name, 'orders', 'which is the other route');
    const ingress = beside('Ingress');
    t.equal(ingress.metadata.annotations, undefined);
    const [path] = ingress.spec.rules[0].http.paths;
    t.strictSame(path.backend.service, { name, port: { number: port } });
    const route = asking('IngressRoute').spec.routes[1];
    t.strictSame([route.middlewares, route.services], [undefined, [{ name, port }]]);
    for (const where of [rule.matches[0].path.value, path.path, route.match])
      t.match(where, '/.well-known/oauth-protected-resource');
  },
);

t.test(
  'only the proxy may connect to the API, at the port that the proxies use',
  { skip: skipWithoutHelm },
  async (t) => {
    const { spec } = asking('NetworkPolicy');
    const [{ ports, from }] = spec.ingress;
    t.equal(ports[0].port, asking('HTTPRoute').spec.rules[0].backendRefs[0].port);
    t.strictSame(spec.podSelector, asking('AuthorizationPolicy').spec.selector);
    t.equal(from.length, 1);
    t.ok(from[0].namespaceSelector && from[0].podSelector, 'both in one entry, which have to hold together');
  },
);

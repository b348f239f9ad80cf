import t from 'tap';
import { parse } from 'yaml';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { type Manifest, manifests, notConforming, render } from './chart.ts';
import { blocksOf, manifestsIn } from './pages.ts';

t.setTimeout(60_000);

const pages = ['kubernetes.md', 'kubernetes-sidecar.md', 'kubernetes-edge.md'];

/** What the values of a page make, under the names that the page tells. */
function installed(values: string): { readonly text: string; readonly objects: readonly Manifest[] } {
  const { status, stdout, stderr } = render(['--values', '-'], { input: values, release: 'orders' });
  if (status !== 0) throw new Error(stderr);
  return { text: stdout, objects: manifests(stdout) };
}

for (const page of pages)
  t.test(`${page}: the chart takes all values, and Kubernetes all manifests`, { skip: skipWithoutHelm }, async (t) => {
    const all = blocksOf(page, 'values.yaml').filter((block) => !block.startsWith('# values.yaml: of your chart'));
    t.ok(all.length > 0);
    for (const values of all) t.equal(notConforming(installed(values).text), '', values);
    t.equal(notConforming(manifestsIn(page).text), '');
  });

t.test('the values that are shown make the gateway.yaml that is shown', { skip: skipWithoutHelm }, async (t) => {
  for (const page of pages) {
    const [values = ''] = blocksOf(page, 'values.yaml');
    const [file] = blocksOf(page, 'gateway.yaml', 'yaml');
    const made = installed(values).objects.find(({ kind }) => kind === 'ConfigMap').data['gateway.yaml'];
    t.strictSame({ admin: '127.0.0.1:9901', ...parse(file ?? '') }, parse(made), page);
  }
});

t.test(
  'every proxy asks the Service that the chart makes, at the path for its kind',
  { skip: skipWithoutHelm },
  async (t) => {
    const [values = ''] = blocksOf('kubernetes-edge.md', 'values.yaml');
    const service = installed(values).objects.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-decision'),
    );
    const { name, port } = { name: service.metadata.name, port: service.spec.ports[0].port };
    const inCluster = `http://${name}.shop.svc.cluster.local:${port}`;

    const { objects } = manifestsIn('kubernetes-edge.md');
    const of = (wanted: string) => objects.find(({ kind }) => kind === wanted);
    t.match(of('SecurityPolicy').spec.extAuth.http, { path: '/envoy', backendRefs: [{ name, port }] });
    t.equal(of('SecurityPolicy').spec.extAuth.failOpen, false);
    t.equal(of('Ingress').metadata.annotations['nginx.ingress.kubernetes.io/auth-url'], `${inCluster}/nginx`);
    t.equal(of('Middleware').spec.forwardAuth.address, `${inCluster}/forward-auth`);

    const [mesh = ''] = blocksOf('kubernetes-edge.md', 'mesh configuration');
    const [provider] = parse(mesh).meshConfig.extensionProviders;
    t.equal(of('AuthorizationPolicy').spec.provider.name, provider.name);
    const { service: host, port: at, pathPrefix, failOpen } = provider.envoyExtAuthzHttp;
    t.strictSame([`http://${host}:${at}`, pathPrefix, failOpen], [inCluster, '/envoy', false]);
  },
);

t.test(
  'every proxy hands on each identity header, and none that only the client wrote',
  { skip: skipWithoutHelm },
  async (t) => {
    const { objects } = manifestsIn('kubernetes-edge.md');
    const of = (wanted: string) => objects.find(({ kind }) => kind === wanted);
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

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { chart, type Manifest, manifests, notConforming, render, valuesOf } from './chart.ts';
import { manifestsIn } from './pages.ts';

const template = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-orders
spec:
  selector: { matchLabels: { app.kubernetes.io/name: orders } }
  template:
    metadata:
      labels: { app.kubernetes.io/name: orders }
      annotations:
        {{- include "gatehouse.sidecar.checksum" .Subcharts.gatehouse | nindent 8 }}
    spec:
      enableServiceLinks: false
      securityContext: { fsGroup: 65532 }
      initContainers:
        {{- include "gatehouse.sidecar.container" .Subcharts.gatehouse | nindent 8 }}
      containers:
        - name: orders
          image: registry.example.com/orders:1.4.2
      volumes:
        {{- include "gatehouse.sidecar.volumes" .Subcharts.gatehouse | nindent 8 }}
`;

const values = {
  gatehouse: {
    mode: 'sidecar',
    sidecar: { port: 9000, probes: { '/app/ready': '/readyz' }, selector: { 'app.kubernetes.io/name': 'orders' } },
    gateway: {
      existingSecret: 'orders-gatehouse',
      config: {
        authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
        routes: [{ match: { path: '/orders/{rest*}' }, scope: 'orders.read' }],
      },
    },
  },
};

/** A chart of somebody's own that has this one for a dependency. */
function ownChart(t: Test): string {
  const folder = t.testdir({ templates: { 'deployment.yaml': template } });
  const dependencies = [{ name: 'gatehouse', version: '0.1.0', repository: '' }];
  writeFileSync(
    join(folder, 'Chart.yaml'),
    stringify({ apiVersion: 'v2', name: 'orders', version: '1.0.0', dependencies }),
  );
  writeFileSync(join(folder, 'values.yaml'), stringify(values));
  mkdirSync(join(folder, 'charts'));
  cpSync(chart, join(folder, 'charts/gatehouse'), { recursive: true });
  return folder;
}

function sidecarOf(objects: readonly Manifest[]): Manifest {
  const { spec } = objects.find(({ kind }) => kind === 'Deployment').spec.template;
  return { pod: spec, sidecar: spec.initContainers.find(({ name }: Manifest) => name === 'gatehouse') };
}

t.test(
  'a chart of one’s own has the gateway as a native sidecar by two named templates',
  { skip: skipWithoutHelm },
  async (t) => {
    const { status, stdout, stderr } = render([], { of: ownChart(t) });
    t.equal(status, 0, stderr);
    t.equal(notConforming(stdout), '');
    const objects = manifests(stdout);
    const { pod, sidecar } = sidecarOf(objects);
    t.equal(sidecar.restartPolicy, 'Always', 'it starts before the application, and ends after it');
    t.strictSame(
      sidecar.volumeMounts.map(({ name }: Manifest) => name),
      pod.volumes.map(({ name }: Manifest) => name),
    );
    const [{ configMap }] = pod.volumes;
    t.ok(objects.some(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name));
    const service = objects.find(({ kind }) => kind === 'Service');
    t.strictSame(service.spec.selector, { 'app.kubernetes.io/name': 'orders' });
    t.equal(objects.filter(({ kind }) => kind === 'Deployment').length, 1, 'the chart adds none');
  },
);

t.test(
  'a sidecar listens for the pod, forwards to the loopback address, and passes the probes on',
  { skip: skipWithoutHelm },
  async (t) => {
    const { stdout } = render(['--values', valuesOf('sidecar')]);
    const objects = manifests(stdout);
    const text = objects.find(({ kind }) => kind === 'ConfigMap').data['gateway.yaml'];
    const { pod, sidecar } = sidecarOf(objects);
    t.match(text, /^listen: 0\.0\.0\.0:8080$/m);
    t.match(text, /url: http:\/\/127\.0\.0\.1:9000$/m);
    t.equal(sidecar.startupProbe.httpGet.path, '/livez', 'which does not wait for the application that waits for it');
    for (const probe of [pod.containers[0].livenessProbe, pod.containers[0].readinessProbe]) {
      t.match(text, `${probe.httpGet.path}:\n`, 'a path of `health.pass`');
      t.equal(probe.httpGet.port, 9900);
    }
    t.equal(objects.find(({ kind }) => kind === 'Service').spec.ports[0].targetPort, 8080, 'by number');
  },
);

t.test('the manifest without Helm says the same', { skip: skipWithoutHelm }, async (t) => {
  const { text, objects } = manifestsIn('kubernetes-sidecar.md');
  t.equal(notConforming(text), '');
  const { pod, sidecar } = sidecarOf(objects);
  const { sidecar: rendered, pod: renderedPod } = sidecarOf(
    manifests(render(['--values', valuesOf('sidecar')]).stdout),
  );
  t.strictSame({ ...sidecar, image: '', resources: {} }, { ...rendered, image: '', resources: {} });
  t.equal(pod.enableServiceLinks, renderedPod.enableServiceLinks);
  t.strictSame(pod.securityContext, renderedPod.securityContext);
});

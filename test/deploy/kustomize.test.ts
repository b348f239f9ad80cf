import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { parseAllDocuments, stringify } from 'yaml';
import { kustomize, restricted, skipWithout, skipWithoutHelm } from '../../tools/chart/programs.ts';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { kustomized, type Manifest, manifests, notConforming, notRestricted, render, valuesOf } from './chart.ts';
import { blocksOf } from './pages.ts';

const page = 'kubernetes-sidecar.md';
const [base = ''] = blocksOf(page, 'kustomization.yaml: of the base');
const [overlay = ''] = blocksOf(page, 'kustomization.yaml: of the overlay');
const [file = ''] = blocksOf(page, 'gateway.yaml', 'yaml');
const skip = skipWithoutHelm || skipWithout(kustomize);

const labels = { app: 'orders' };
const container = {
  name: 'orders',
  image: 'vendor.example.com/orders:9.1.0',
  ports: [{ name: 'web', containerPort: 9000 }],
  securityContext: { runAsUser: 10001, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
};
const podOfVendor = {
  metadata: { labels },
  spec: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    initContainers: [{ ...container, name: 'prepare' }],
    containers: [container, { ...container, name: 'worker', ports: [] }],
    volumes: [{ name: 'cache', emptyDir: {} }],
  },
};
const workload = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas: 2, selector: { matchLabels: labels }, template: podOfVendor },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: labels, ports: [{ name: 'web', port: 80, targetPort: 'web' }] },
});

/** A vendor's manifests: two Deployments and two Services. The page changes one of each. */
const vendor = [workload('orders'), workload('reports'), service('orders'), service('reports')];

/** The folders in the page, merged into one. */
function folders(t: Test, change: (overlay: string) => string = (text) => text): string {
  const root = temporaryFolder(t);
  for (const name of ['base', 'overlay']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'base/vendor.yaml'), vendor.map((each) => stringify(each)).join('---\n'));
  writeFileSync(join(root, 'base/kustomization.yaml'), base);
  writeFileSync(join(root, 'overlay/kustomization.yaml'), change(overlay));
  writeFileSync(join(root, 'overlay/gateway.yaml'), file);
  cpSync(fileURLToPath(new URL('../../kustomize/sidecar', import.meta.url)), join(root, 'sidecar'), {
    recursive: true,
  });
  return join(root, 'overlay');
}

function named(objects: readonly Manifest[], kind: string, name: string): Manifest {
  return objects.find((each) => each.kind === kind && each.metadata.name === name);
}

t.test('a vendor’s Deployment gets the gateway, and keeps its own settings', { skip }, async (t) => {
  const text = kustomized(folders(t));
  t.equal(notConforming(text), '');
  const objects = manifests(text);
  const { spec } = named(objects, 'Deployment', 'orders').spec.template;
  t.strictSame(
    spec.initContainers.map(({ name }: Manifest) => name),
    ['gatehouse', 'prepare'],
    'it starts before the other init containers, which have the network of the pod',
  );
  const [sidecar] = spec.initContainers;
  t.equal(sidecar.image, 'registry.example.com/gatehouse:0.1.0');
  t.equal(sidecar.restartPolicy, 'Always');
  t.match(spec.containers[0], { image: container.image, volumeMounts: container.volumeMounts });
  t.equal(spec.containers[0].lifecycle.preStop.sleep.seconds, 5);
  t.strictSame(
    spec.containers[1],
    podOfVendor.spec.containers[1],
    'a container that the page does not name is as it was',
  );
  t.strictSame(spec.securityContext, podOfVendor.spec.securityContext);
  const volume = spec.volumes.find(({ name }: Manifest) => name === 'gatehouse-config');
  const config = named(objects, 'ConfigMap', volume.configMap.name);
  t.match(volume.configMap.name, /^gatehouse-[a-z0-9]+$/, 'a changed file is another name, which replaces the pods');
  t.equal(config.data['gateway.yaml'], file);
  t.equal(named(objects, 'Service', 'orders').spec.ports[0].targetPort, 8080);
});

t.test('objects without the label stay unchanged', { skip }, async (t) => {
  const objects = manifests(kustomized(folders(t)));
  for (const kind of ['Deployment', 'Service']) {
    const { namespace, ...metadata } = named(objects, kind, 'reports').metadata;
    t.equal(namespace, 'shop');
    const original = vendor.find((each) => each.kind === kind && each.metadata.name === 'reports');
    t.strictSame({ ...named(objects, kind, 'reports'), metadata }, original);
  }
});

t.test('Pod Security *restricted* allows the pod', { skip: skip || skipWithout(restricted) }, async (t) => {
  t.equal(notRestricted(kustomized(folders(t))), '2 pods\n');
});

t.test("the component's gateway is the same as the chart's", { skip }, async (t) => {
  const [sidecar] = named(manifests(kustomized(folders(t))), 'Deployment', 'orders').spec.template.spec.initContainers;
  const { stdout } = render(['--values', valuesOf('sidecar')]);
  const pod = manifests(stdout).find(({ kind }) => kind === 'Deployment').spec.template.spec;
  const ofChart = pod.initContainers.find(({ name }: Manifest) => name === 'gatehouse');
  const { envFrom, ...rest } = sidecar;
  t.strictSame(envFrom, [{ secretRef: { name: 'gatehouse', optional: true } }]);
  t.strictSame(rest, ofChart);
});

t.test('a StatefulSet with the label gets the gateway as well', { skip }, async (t) => {
  const overlay = folders(t, (text) => text.replace('resources: [../base]', 'resources: [../base, ledger.yaml]'));
  const { spec, ...rest } = workload('ledger');
  const { replicas: _, ...pods } = spec;
  const ledger = { ...rest, kind: 'StatefulSet', spec: { ...pods, serviceName: 'ledger' } };
  writeFileSync(
    join(overlay, 'ledger.yaml'),
    stringify({ ...ledger, metadata: { name: 'ledger', labels: { 'gatehouse/sidecar': 'true' } } }),
  );
  const text = kustomized(overlay);
  t.equal(notConforming(text), '');
  t.equal(named(manifests(text), 'StatefulSet', 'ledger').spec.template.spec.initContainers[0].name, 'gatehouse');
});

t.test('`check` accepts the file of the page', async (t) => {
  const path = join(folders(t), 'gateway.yaml');
  const { status, stdout, stderr } = await command(t, ['check', '--strict', path]).ended();
  t.equal(status, 0, `${stdout}${stderr}`);
});

t.test('each block of the page is one document', async (t) => {
  for (const block of [base, overlay]) t.equal(parseAllDocuments(block).length, 1);
});

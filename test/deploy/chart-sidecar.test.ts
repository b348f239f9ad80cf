import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import {
  chart,
  gatewayConfig,
  type Manifest,
  manifests,
  notConforming,
  render,
  rendered as renderedOf,
  textOfFile,
  valuesOf,
} from './chart.ts';
import { blocksOf, manifestsIn, pathOf } from './pages.ts';

const page = 'kubernetes-sidecar.md';

/** What the page shows for a chart of one’s own. */
const [own = ''] = blocksOf(page, 'values.yaml: of your chart');
const [dependencies = ''] = blocksOf(page, 'Chart.yaml');
const [, podTemplate = ''] = /^```\n( {2}template:\n.*?)^```$/ms.exec(textOfFile(pathOf(page))) ?? [];
const template = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-orders
spec:
  selector: { matchLabels: { app.kubernetes.io/name: orders } }
${podTemplate}`;

/** A user's own chart that depends on this one, as the page shows it. */
function ownChart(t: Test): string {
  const folder = t.testdir({ templates: { 'deployment.yaml': template } });
  writeFileSync(join(folder, 'Chart.yaml'), `apiVersion: v2\nname: orders\nversion: 1.0.0\n${dependencies}`);
  writeFileSync(join(folder, 'values.yaml'), own);
  mkdirSync(join(folder, 'charts'));
  cpSync(chart, join(folder, 'charts/gatehouse'), { recursive: true });
  return folder;
}

const withSecret = ['--set', 'gatehouse.gateway.existingSecret=orders-gatehouse'];

function sidecarOf(objects: readonly Manifest[]): Manifest {
  const { spec } = objects.find(({ kind }) => kind === 'Deployment').spec.template;
  return { pod: spec, sidecar: spec.initContainers.find(({ name }: Manifest) => name === 'gatehouse') };
}

t.test(
  'a chart of one’s own gets the gateway as a native sidecar with two named templates',
  { skip: skipWithoutHelm },
  async (t) => {
    const { status, stdout, stderr } = render(withSecret, { of: ownChart(t) });
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
    t.strictSame(
      objects.filter(({ kind }) => /HorizontalPod|Disruption|ServiceAccount/.test(kind)),
      [],
      'nor what only goes with one',
    );
  },
);

t.test(
  'the same chart renders without the gateway if the dependency is disabled',
  { skip: skipWithoutHelm },
  async (t) => {
    const { status, stdout, stderr } = render(['--set', 'gatehouse.enabled=false'], { of: ownChart(t) });
    t.equal(status, 0, stderr);
    const objects = manifests(stdout);
    t.strictSame(
      objects.map(({ kind }) => kind),
      ['Deployment'],
    );
    t.equal(objects[0].spec.template.spec.initContainers, undefined);
  },
);

t.test(
  'an own chart without a configuration gets an error that says what to set',
  { skip: skipWithoutHelm },
  async (t) => {
    const { stderr } = render(['--set', 'gatehouse.gateway.config=null'], { of: ownChart(t) });
    t.match(stderr, 'gateway.config is empty: set gateway.config to the content of gateway.yaml');
  },
);

t.test(
  'an application accepts connections as long as its gateway does, with each kind of hook',
  { skip: skipWithoutHelm },
  async (t) => {
    const [values = ''] = blocksOf(page, 'values.yaml');
    const ways = {
      'the chart, by the page': manifests(render(['--values', '-'], { input: values }).stdout),
      'the chart, without a hook': manifests(render(['--values', valuesOf('sidecar')]).stdout),
      'a chart of one’s own': manifests(render([], { of: ownChart(t) }).stdout),
      'without Helm': manifestsIn(page).objects,
    };
    for (const [way, objects] of Object.entries(ways)) {
      const { pod, sidecar } = sidecarOf(objects);
      const [{ lifecycle }] = pod.containers;
      t.strictSame(lifecycle.preStop, sidecar.lifecycle.preStop, way);
      t.ok(pod.terminationGracePeriodSeconds > lifecycle.preStop.sleep.seconds + 30, way);
    }
  },
);

t.test('the chart keeps an existing hook, and adds none of zero length', { skip: skipWithoutHelm }, async (t) => {
  const preStop = { exec: { command: ['/leave'] } };
  const postStart = { sleep: { seconds: 1 } };
  const containers = [{ name: 'a', lifecycle: { preStop } }, { name: 'b', lifecycle: { postStart } }, { name: 'c' }];
  const of = (preStopSeconds: number) =>
    sidecarOf(
      renderedOf({ mode: 'sidecar', sidecar: { containers }, gateway: { config: gatewayConfig, preStopSeconds } }),
    ).pod.containers.map(({ lifecycle }: Manifest) => lifecycle);
  const sleep = { preStop: { sleep: { seconds: 7 } } };
  t.strictSame(of(7), [{ preStop }, { ...sleep, postStart }, sleep]);
  t.strictSame(of(0), [{ preStop }, { postStart }, undefined]);
});

t.test(
  'a sidecar meets *restricted* by default, and so does the application of every example',
  { skip: skipWithoutHelm },
  async (t) => {
    const [values = ''] = blocksOf(page, 'values.yaml');
    const ways = [
      manifests(render(['--values', '-'], { input: values }).stdout),
      manifests(render([], { of: ownChart(t) }).stdout),
      manifestsIn(page).objects,
    ];
    for (const objects of ways) {
      const { pod, sidecar } = sidecarOf(objects);
      t.match(sidecar.securityContext, { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532 });
      for (const each of [sidecar, ...pod.containers]) {
        const context = { ...pod.securityContext, ...each.securityContext };
        t.match(context, { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
        t.equal(context.seccompProfile.type, 'RuntimeDefault');
        t.ok(each.resources.requests.cpu);
      }
    }
  },
);

t.test(
  'a sidecar scales by its own resources, whatever the application requests',
  { skip: skipWithoutHelm },
  async (t) => {
    const autoscaling = { enabled: true, targetMemoryUtilizationPercentage: 80 };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of the configuration file
    const config = { ...gatewayConfig, ticket_keys: ['${file:/run/secrets/gatehouse/ticket.key}'] };
    const sidecar = { containers: [{ name: 'orders' }] };
    const scaler = (more: object) =>
      renderedOf({ mode: 'sidecar', sidecar, gateway: { config, autoscaling }, ...more }).find(
        ({ kind }) => kind === 'HorizontalPodAutoscaler',
      );
    const metrics = scaler({}).spec.metrics.map(({ containerResource }: Manifest) => containerResource);
    t.match(metrics, [
      { container: 'gatehouse', name: 'cpu' },
      { container: 'gatehouse', name: 'memory' },
    ]);
    t.equal(
      scaler({ sidecar: { selector: { app: 'orders' } } }),
      undefined,
      'and only a Deployment that the chart makes',
    );
  },
);

t.test(
  'a sidecar listens for the pod, forwards to the loopback address, and forwards the probes',
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

t.test('the manifest without Helm is equivalent', { skip: skipWithoutHelm }, async (t) => {
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

import { readFileSync } from 'node:fs';
import t from 'tap';
import { restricted, skipWithout, skipWithoutHelm } from '../../tools/chart/programs.ts';
import { cases, gatewayConfig, type Manifest, notRestricted, render, rendered, snapshotOf, valuesOf } from './chart.ts';
import { manifestsIn } from './pages.ts';

/** Renders each value file: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const skip = skipWithoutHelm || skipWithout(restricted);

for (const name of cases)
  t.test(`${name}: Pod Security *restricted* allows every pod`, { skip }, async (t) => {
    const { stdout } = render(['--values', valuesOf(name)]);
    t.match(notRestricted(stdout), name === 'sidecar-own-chart' ? /^0 pods\n$/ : /^[1-9] pods\n$/);
  });

t.test('Pod Security *restricted* also allows the manifests of the pages', { skip }, async (t) => {
  for (const page of ['kubernetes-sidecar.md', 'kubernetes-edge.md', 'kubernetes.md'])
    t.match(notRestricted(manifestsIn(page).text), /^\d+ pods\n$/, page);
  t.match(notRestricted(manifestsIn('kubernetes-sidecar.md').text), /^1 pods\n$/);
});

const containers = [{ name: 'orders', image: 'registry.example.com/orders:1.4.2' }];
const sidecar = (more: object) => ({
  mode: 'sidecar',
  sidecar: { containers },
  gateway: { config: gatewayConfig },
  ...more,
});
const podOf = (objects: readonly Manifest[]): Manifest =>
  objects.find(({ kind }) => kind === 'Deployment').spec.template.spec;

t.test('without the additions of the chart, a container of the application is rejected', { skip }, async (t) => {
  const objects = rendered(
    sidecar({ containerSecurityContext: { allowPrivilegeEscalation: null, capabilities: null } }),
  );
  t.match(
    notRestricted(objects.map((each) => JSON.stringify(each)).join('\n---\n')),
    /Deployment\/\S+: allowPrivilegeEscalation/,
  );
});

t.test("a container's own settings stay, and only missing ones are added", { skip: skipWithoutHelm }, async (t) => {
  const own = {
    allowPrivilegeEscalation: true,
    readOnlyRootFilesystem: false,
    capabilities: { add: ['NET_BIND_SERVICE'] },
  };
  const given = [{ name: 'a' }, { name: 'b', securityContext: own }, { name: 'c', securityContext: { runAsUser: 7 } }];
  const added = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const pod = podOf(rendered(sidecar({ sidecar: { containers: given } })));
  t.strictSame(
    pod.containers.map(({ securityContext }: Manifest) => securityContext),
    [added, { ...own, capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } }, { runAsUser: 7, ...added }],
  );
  const containerSecurityContext = { readOnlyRootFilesystem: true };
  const tighter = podOf(rendered(sidecar({ sidecar: { containers: given }, containerSecurityContext })));
  t.strictSame(tighter.containers[1].securityContext, pod.containers[1].securityContext, 'a false is no gap');
});

t.test('additional containers of either program are restricted too', { skip: skipWithoutHelm }, async (t) => {
  const further = { initContainers: [{ name: 'wait' }], extraContainers: [{ name: 'logs' }] };
  const pod = podOf(rendered({ gateway: { config: gatewayConfig, ...further } }));
  for (const name of ['wait', 'logs']) {
    const { securityContext } = [...pod.initContainers, ...pod.containers].find((each: Manifest) => each.name === name);
    t.equal(securityContext.allowPrivilegeEscalation, false, name);
  }
});

t.test('GitOps renders the same manifests each time, and queries no cluster', { skip: skipWithoutHelm }, async (t) => {
  for (const name of ['strict-sidecar', 'strict-both'])
    t.equal(render(['--values', valuesOf(name)]).stdout, readFileSync(snapshotOf(name), 'utf8'), name);
});

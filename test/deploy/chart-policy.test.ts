import t from 'tap';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { authorizationConfig, gatewayConfig, type Manifest, refusal, rendered } from './chart.ts';

const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }];

const policyOf = (objects: readonly Manifest[], program: string) =>
  objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith(program)).spec;

t.test('a policy opens the ports of the pods, and not the port for operators', { skip: skipWithoutHelm }, async (t) => {
  const objects = rendered({ gateway: { config: gatewayConfig } });
  const { ingress, policyTypes } = policyOf(objects, 'gateway');
  t.strictSame(
    ingress.map(({ ports }: Manifest) => ports[0].port),
    [8080, 9900],
  );
  t.strictSame(policyTypes, ['Ingress'], 'without `egress` pods may connect everywhere');
});

t.test('with `egress` DNS still works', { skip: skipWithoutHelm }, async (t) => {
  const egress = [{ to: from, ports: [{ port: 9000 }] }];
  const objects = rendered({ gateway: { config: gatewayConfig, networkPolicy: { egress } } });
  const spec = policyOf(objects, 'gateway');
  t.strictSame(spec.policyTypes, ['Ingress', 'Egress']);
  t.strictSame(spec.egress[0].ports, [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ]);
  t.strictSame(spec.egress[1], egress[0]);
});

t.test(
  'if only some pods may connect to the authorization service, its gateway may',
  { skip: skipWithoutHelm },
  async (t) => {
    const authorization = { config: authorizationConfig, networkPolicy: { from } };
    const objects = rendered({ mode: 'both', gateway: { config: gatewayConfig }, authorization });
    const { ingress } = policyOf(objects, 'authorization');
    const pods = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('gateway'));
    const { podSelector } = ingress[0].from[1];
    t.strictSame(ingress[0].from[0], from[0]);
    t.match(pods.spec.template.metadata.labels, podSelector.matchLabels);
  },
);

t.test(
  'no pod may connect to the migration Job, which may connect where the service may',
  { skip: skipWithoutHelm },
  async (t) => {
    const config = { ...authorizationConfig, storage: 'postgres://a@b/c' };
    const egress = [{ to: from, ports: [{ port: 5432 }] }];
    for (const networkPolicy of [{}, { egress }]) {
      const objects = rendered({ mode: 'authorization', authorization: { config, networkPolicy } });
      const { ingress, policyTypes, egress: rules } = policyOf(objects, '-migration');
      t.strictSame(ingress, []);
      t.ok(policyTypes.includes('Ingress'));
      t.strictSame(rules, policyOf(objects, '-authorization').egress);
    }
    const off = rendered({ mode: 'authorization', authorization: { config, networkPolicy: { enabled: false } } });
    t.notOk(off.some(({ kind }) => kind === 'NetworkPolicy'));
  },
);

const application = {
  mode: 'sidecar',
  sidecar: { containers: [{ name: 'orders' }] },
  gateway: { config: gatewayConfig },
};

t.test(
  'a sidecar’s policy cuts off no connection of the application by default',
  { skip: skipWithoutHelm },
  async (t) => {
    t.strictSame(policyOf(rendered(application), 'gateway').policyTypes, ['Ingress']);
    const egress = [{ to: from, ports: [{ port: 6379 }] }];
    const rule = { to: from, ports: [{ port: 5432 }] };
    const limited = (networkPolicy: object) => ({
      ...application,
      sidecar: { ...application.sidecar, networkPolicy },
      gateway: { config: gatewayConfig, networkPolicy: { egress } },
    });
    t.match(
      refusal({ ...application, gateway: { config: gatewayConfig, networkPolicy: { egress } } }),
      /applies to the whole pod.*set sidecar\.networkPolicy\.egress/,
    );
    t.strictSame(policyOf(rendered(limited({ egress: [rule] })), 'gateway').egress.slice(1), [...egress, rule]);
    t.strictSame(policyOf(rendered(limited({ egress: [] })), 'gateway').egress.slice(1), egress);
  },
);

t.test('other pods reach another port of the application if a rule allows it', { skip: skipWithoutHelm }, async (t) => {
  const rule = { from, ports: [{ port: 9102 }] };
  const sidecar = { ...application.sidecar, networkPolicy: { ingress: [rule] } };
  t.strictSame(policyOf(rendered({ ...application, sidecar }), 'gateway').ingress.at(-1), rule);
});

t.test('Services, policies and budgets select only the pods of their program', { skip: skipWithoutHelm }, async (t) => {
  const objects = rendered({
    mode: 'both',
    metrics: { serviceMonitor: { enabled: true } },
    gateway: { config: gatewayConfig },
    authorization: { config: { ...authorizationConfig, storage: 'postgres://a@b/c' } },
  });
  const labelsOf = (name: string) =>
    objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name).spec.template.metadata.labels;
  const [gateway, authorization] = [labelsOf('try-gatehouse-gateway'), labelsOf('try-gatehouse-authorization')];
  const job = objects.find(({ kind }) => kind === 'Job').spec.template.metadata.labels;
  const selecting = objects.flatMap(({ kind, metadata, spec }) => {
    const selector = kind === 'Service' ? spec.selector : (spec?.podSelector ?? spec?.selector)?.matchLabels;
    return ['Service', 'NetworkPolicy', 'PodDisruptionBudget', 'Deployment'].includes(kind)
      ? [{ metadata, selector }]
      : [];
  });
  t.equal(selecting.length, 11);
  const [migrating, ...more] = selecting.filter(({ metadata }) => metadata.name.endsWith('-migration'));
  t.ok(selects(migrating?.selector, job) && more.length === 0, 'one policy is for the Job that migrates');
  for (const { metadata, selector } of selecting.filter((each) => each !== migrating)) {
    const isGateway = metadata.name.includes('-gateway');
    t.ok(selects(selector, isGateway ? gateway : authorization), metadata.name);
    t.notOk(selects(selector, isGateway ? authorization : gateway), metadata.name);
    t.notOk(selects(selector, job), 'nor the Job that migrates');
  }
});

function selects(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

import { AuthorizationSchema } from '../../src/config/schema/authorization.ts';
import { GatewaySchema } from '../../src/config/schema/gateway.ts';
import type { Schema } from '../../src/config/schema/input-schema.ts';
import { editorSchema } from '../../src/config/show/editor-schema.ts';
import { component } from './component.ts';
import {
  anyObject,
  container,
  egressRule,
  ingressRule,
  peer,
  pullSecret,
  rule,
  securityContext,
} from './kubernetes.ts';
import { choice, flag, type JsonSchema, type Keys, list, port, section, text, texts, value } from './value.ts';

const modes = ['gateway', 'authorization', 'both', 'sidecar'];

/** Every value of the chart. values.yaml and values.schema.json are generated from this. */
export const values: Keys = {
  enabled: flag(
    'A chart that depends on this chart can switch this chart off with `condition: gatehouse.enabled`.',
    true,
  ),
  mode: choice(
    'The programs to install. sidecar: the gateway runs in the pods of an application, which `sidecar` describes.',
    modes,
    'gateway',
  ),
  nameOverride: text('Replaces the name of the chart.'),
  fullnameOverride: text('Replaces the name of the release and the name of the chart.'),
  commonLabels: texts('Labels of every object.'),
  commonAnnotations: texts('Annotations of every object.'),
  image: section('Both programs are in one image.', {
    registry: text('Required: the registry that has the image, such as registry.example.com.'),
    repository: text('Name of the image.', 'gatehouse'),
    tag: text('Default: the `appVersion` of the chart.'),
    digest: text('Selects the image by digest (sha256:…) instead of by `tag`.'),
    pullPolicy: choice('When the kubelet pulls the image.', ['Always', 'IfNotPresent', 'Never'], 'IfNotPresent'),
    pullSecrets: list('Secrets with the credentials for the registry.', pullSecret),
  }),
  serviceAccount: section('The programs never use the Kubernetes API, so the pods mount no token.', {
    create: flag('Creates the ServiceAccount.', true),
    name: text('The default is the name of the release.'),
    annotations: texts('Annotations of the ServiceAccount.'),
  }),
  containerSecurityContext: value(
    'Security context of each container that you add: `sidecar.containers`, `initContainers`, `extraContainers`. The chart sets each key that a container does not set itself. With `podSecurityContext`, the default satisfies the Pod Security Standard *restricted*. `{}` adds nothing.',
    securityContext,
    { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  ),
  gateway: section('The gateway.', {
    ...component({
      file: 'gateway.yaml',
      config: configSchema(GatewaySchema, 'gateway.yaml'),
      ports: {
        http: port('`listen`', 8080),
        health: port('`health`', 9900),
        admin: port('`admin`, on the loopback address', 9901),
        decision: port('`decision`, if `config` has it', 8082),
        receiver: port('`receiver`, if `config` has it', 8090),
      },
      memory: '128Mi',
      restartOnConfigChange: false,
    }),
    decisionFrom: list(
      'Proxies that may ask for decisions, if `config` has `decision`. Empty: every client may ask.',
      peer,
    ),
    receiverFrom: list(
      'Clients that may send logout tokens and security events, if `config` has `receiver`. Empty: every client.',
      peer,
    ),
  }),
  authorization: section('The authorization service.', {
    ...component({
      file: 'authorization.yaml',
      config: configSchema(AuthorizationSchema, 'authorization.yaml'),
      ports: {
        http: port('`listen`', 8081),
        health: port('`health`', 9903),
        admin: port('`admin`, on the loopback address', 9902),
      },
      memory: '128Mi',
      restartOnConfigChange: true,
    }),
    persistence: section(
      'The volume at /data. SQLite keeps its database and the key file there. With `existingConfigMap`, use `extraVolumes` instead.',
      {
        enabled: flag('false: all data is lost when the pod ends.', true),
        existingClaim: text('An existing PersistentVolumeClaim. The chart then creates none.'),
        storageClassName: text(
          "Storage class of the claim. The default is the cluster's default class. `-` sets an empty class.",
        ),
        accessModes: list('Access modes of the claim.', { type: 'string' }, ['ReadWriteOnce']),
        size: text('Size of the claim.', '1Gi'),
        annotations: texts('Annotations of the claim.'),
      },
    ),
    migration: section(
      'If `config` names a PostgreSQL database, a Job migrates it before each installation and upgrade.',
      {
        enabled: flag('false: the first pod that starts migrates the database.', true),
        backoffLimit: value('How often a failed Job is retried.', { type: 'integer', minimum: 0 }, 3),
        activeDeadlineSeconds: value('How many seconds the Job may take.', { type: 'integer', minimum: 1 }, 300),
        annotations: texts('Annotations of the Job.'),
      },
    ),
  }),
  sidecar: section(
    'Used with `mode: sidecar`. The gateway receives the requests for the pod, and forwards them to the application on the loopback address.',
    {
      port: port('Port of the application, on 127.0.0.1.', 9000),
      probes: texts(
        "Paths of the application's probes: path on the `health` port → path of the application. The gateway forwards these probes, because the kubelet cannot reach 127.0.0.1.",
      ),
      containers: list(
        'Containers of the application. A container without `lifecycle.preStop` sleeps for `gateway.preStopSeconds` before it ends. Empty: the chart makes no Deployment, and your own chart includes `gatehouse.sidecar.container`.',
        container,
      ),
      selector: texts(
        'Labels of the pods of your own chart. Service and NetworkPolicy select these pods. Unused with `containers`.',
      ),
      networkPolicy: section(
        'A NetworkPolicy applies to all containers of a pod, so `gateway.networkPolicy` also applies to the application.',
        {
          ingress: list(
            'Rules that open more ports of the application, such as its metrics. The policy closes all other ports of the pod.',
            ingressRule,
          ),
          egress: value(
            'Rules that allow connections of the application, such as to its database. Required with `gateway.networkPolicy.egress`. With `[]`, the policy allows only the connections in `gateway.networkPolicy.egress`.',
            { type: ['array', 'null'], items: egressRule },
            null,
          ),
        },
      ),
    },
  ),
  metrics: section('Objects for the Prometheus operator and Grafana.', {
    serviceMonitor: section('A ServiceMonitor that lets Prometheus scrape the `health` listener.', {
      enabled: flag('Creates the ServiceMonitor.', false),
      interval: text("How often Prometheus scrapes. Empty: Prometheus's own default.", '30s'),
      scrapeTimeout: text("Timeout of one scrape. Empty: Prometheus's own default.", '10s'),
      labels: texts(
        'Labels of the ServiceMonitor. Your Prometheus selects monitors by labels, such as `release: kube-prometheus-stack` with the chart of this name.',
      ),
    }),
    prometheusRule: section('A PrometheusRule with alerts.', {
      enabled: flag('Creates the PrometheusRule.', false),
      labels: texts('Labels of the PrometheusRule. Your Prometheus selects rules by labels.'),
      alertLabels: texts('Labels of each alert, in addition to `severity`.'),
      extraRules: list('More rules for the PrometheusRule.', rule),
    }),
    dashboard: section('A ConfigMap with a dashboard, which the sidecar of Grafana loads.', {
      enabled: flag('Creates the ConfigMap.', false),
      labels: texts("Labels of the ConfigMap. Grafana's sidecar selects dashboards by labels.", {
        grafana_dashboard: '1',
      }),
      annotations: texts('Annotations of the ConfigMap, such as the folder of the dashboard.'),
    }),
  }),
  extraObjects: list(
    'More objects, which Helm renders as templates: for example certificates, or objects from which a Kubernetes operator makes Secrets.',
    anyObject,
  ),
};

/** The chart adds the required top-level keys. An editor's rules validate their contents. */
function configSchema(schema: unknown, title: string): JsonSchema {
  const { $schema: _, required: __, ...rest } = editorSchema(schema as Schema, title) as Record<string, JsonSchema>;
  return rest as JsonSchema;
}

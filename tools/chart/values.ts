import { AuthorizationSchema } from '../../src/config/schema/authorization.ts';
import { GatewaySchema } from '../../src/config/schema/gateway.ts';
import type { Schema } from '../../src/config/schema/input-schema.ts';
import { editorSchema } from '../../src/config/show/editor-schema.ts';
import { component } from './component.ts';
import { anyObject, container, peer, pullSecret, rule } from './kubernetes.ts';
import { choice, flag, type JsonSchema, type Keys, list, port, section, text, texts, value } from './value.ts';

const modes = ['gateway', 'authorization', 'both', 'sidecar'];

/** Every value of the chart: values.yaml and values.schema.json are made from this. */
export const values: Keys = {
  enabled: flag('For a chart that includes this one with `condition: gatehouse.enabled`.', true),
  mode: choice(
    'The programs to install. sidecar: the gateway inside the pods of an application, which `sidecar` describes.',
    modes,
    'gateway',
  ),
  nameOverride: text('In place of the name of the chart.'),
  fullnameOverride: text('In place of the name of the release and that of the chart.'),
  commonLabels: texts('Labels of every object.'),
  commonAnnotations: texts('Annotations of every object.'),
  image: section('Both programs are in one image.', {
    registry: text('Such as registry.example.com.'),
    repository: text('The image.', 'gatehouse'),
    tag: text('Default: the `appVersion` of the chart.'),
    digest: text('sha256:…, in place of `tag`.'),
    pullPolicy: choice('When it is fetched.', ['Always', 'IfNotPresent', 'Never'], 'IfNotPresent'),
    pullSecrets: list('Secrets for the registry.', pullSecret),
  }),
  serviceAccount: section('The programs never ask the API of Kubernetes: no token is mounted.', {
    create: flag('Creates the ServiceAccount.', true),
    name: text('Default: that of the release.'),
    annotations: texts('Annotations of the ServiceAccount.'),
  }),
  gateway: section('The gateway.', {
    ...component({
      file: 'gateway.yaml',
      config: configSchema(GatewaySchema, 'gateway.yaml'),
      ports: {
        http: port('`listen`', 8080),
        health: port('`health`', 9900),
        admin: port('`admin`, on the loopback address', 9901),
        decision: port('`decision`, where `config` has it', 8082),
      },
      memory: '128Mi',
      restartOnConfigChange: false,
    }),
    decisionFrom: list('Proxies that may ask for decisions, if `config` has `decision`. Empty: everyone.', peer),
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
      'The volume at /data, where SQLite keeps its database and the key beside it; for `existingConfigMap` use `extraVolumes`.',
      {
        enabled: flag('false: what is there is lost with the pod.', true),
        existingClaim: text('A PersistentVolumeClaim, in place of one of the chart.'),
        storageClassName: text('Default: that of the cluster. `-`: none.'),
        accessModes: list('Access modes of the claim.', { type: 'string' }, ['ReadWriteOnce']),
        size: text('Size of the claim.', '1Gi'),
        annotations: texts('Annotations of the claim.'),
      },
    ),
    migration: section('A Job before each installation and upgrade, where `config` names a database on a server.', {
      enabled: flag('false: the first pod that starts migrates the database.', true),
      backoffLimit: value('How often it is tried again.', { type: 'integer', minimum: 0 }, 3),
      activeDeadlineSeconds: value('How long it may take.', { type: 'integer', minimum: 1 }, 300),
      annotations: texts('Annotations of the Job.'),
    }),
  }),
  sidecar: section('With `mode: sidecar`. The gateway listens for the pod and forwards to its loopback address.', {
    port: port('Port of the application, on 127.0.0.1.', 9000),
    probes: texts(
      'Path on the `health` port → path of the application, for its probes: the kubelet cannot reach 127.0.0.1.',
    ),
    containers: list(
      'The application; what has no `lifecycle.preStop` sleeps for `gateway.preStopSeconds`. Empty: no Deployment is made, and a chart of your own includes `gatehouse.sidecar.container`.',
      container,
    ),
    selector: texts('Labels of the pods of your own chart, for Service and NetworkPolicy. Unused with `containers`.'),
  }),
  metrics: section('For the Prometheus operator and Grafana.', {
    serviceMonitor: section('Scrapes the `health` listener.', {
      enabled: flag('Creates one.', false),
      interval: text('Default: that of Prometheus.'),
      scrapeTimeout: text('Default: that of Prometheus.'),
      labels: texts('By which Prometheus finds it.'),
    }),
    prometheusRule: section('Alerts.', {
      enabled: flag('Creates them.', false),
      labels: texts('By which Prometheus finds it.'),
      alertLabels: texts('Labels of each alert, in addition to `severity`.'),
      extraRules: list('Further rules.', rule),
    }),
    dashboard: section('A ConfigMap that the sidecar of Grafana picks up.', {
      enabled: flag('Creates one.', false),
      labels: texts('By which Grafana finds it.', { grafana_dashboard: '1' }),
      annotations: texts('Such as the folder.'),
    }),
  }),
  extraObjects: list('Further objects, rendered as templates: secrets of an operator, certificates.', anyObject),
};

/** The chart adds the required keys at the top. An editor's rules judge their contents. */
function configSchema(schema: unknown, title: string): JsonSchema {
  const { $schema: _, required: __, ...rest } = editorSchema(schema as Schema, title) as Record<string, JsonSchema>;
  return rest as JsonSchema;
}

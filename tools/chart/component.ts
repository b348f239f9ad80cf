// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import {
  affinity,
  container,
  egressRule,
  environment,
  environmentFrom,
  ingressTls,
  parentRef,
  peer,
  percentage,
  podSecurityContext,
  probe,
  resources,
  securityContext,
  spread,
  toleration,
  volume,
  volumeMount,
} from './kubernetes.ts';
import {
  choice,
  flag,
  handedOn,
  integer,
  type JsonSchema,
  type Keys,
  list,
  section,
  text,
  texts,
  value,
} from './value.ts';

/** In what the two programs differ, as the values tell it. */
export interface Program {
  /** The file, which is also its key in a ConfigMap. */
  readonly file: string;
  /** The schema of the file, so that rendering the chart finds its mistakes. */
  readonly config: JsonSchema;
  readonly ports: Keys;
  readonly memory: string;
  readonly restartOnConfigChange: boolean;
}

const secrets = '/run/secrets/gatehouse';

/** The values of one program: where its configuration is, how its pods run, and who reaches it. */
export function component({ file, config, ports, memory, restartOnConfigChange }: Program): Keys {
  return {
    config: value(
      `${file}, as docs/configuration.md tells it. The chart adds \`version\` and the addresses of the listeners.`,
      config,
      {},
    ),
    existingConfigMap: text(
      `A ConfigMap with the key ${file}, in place of \`config\`. It must listen on the ports below, at every address.`,
    ),
    existingSecret: text(
      `A Secret whose keys become files below ${secrets}, for \`\${file:${secrets}/KEY}\` in the configuration.`,
    ),
    restartOnConfigChange: flag(
      'true: pods are replaced when the ConfigMap of the chart changes. The gateway takes a new file over by itself.',
      restartOnConfigChange,
    ),
    bindAddress: choice('Where the listeners are: `::` in clusters of IPv6, or of both.', ['0.0.0.0', '::'], '0.0.0.0'),
    ports: section('Ports of the container. A listener in `config` must use the same ones.', ports),
    ...pods(memory),
    ...reach(),
  };
}

function pods(memory: string): Keys {
  return {
    replicaCount: integer('More than one need shared state; the chart refuses to forget it.', 1, 1),
    autoscaling: section('HorizontalPodAutoscaler; `maxReplicas` then counts as the number of replicas.', {
      enabled: flag('Creates one.', false),
      minReplicas: integer('The fewest pods.', 2, 1),
      maxReplicas: integer('The most pods.', 10, 1),
      targetCPUUtilizationPercentage: integer(
        'Percent of `resources.requests.cpu`; in a sidecar, of the gateway alone. null: CPU does not count.',
        70,
        1,
      ),
      targetMemoryUtilizationPercentage: integer(
        'Percent of `resources.requests.memory`; in a sidecar, of the gateway alone. null: memory does not count.',
        null,
        1,
      ),
      metrics: list('Further metrics (autoscaling/v2).', handedOn(['type'])),
      behavior: value('How fast (autoscaling/v2).', handedOn(), {}),
    }),
    extraArgs: list('After the command of the program.', { type: 'string' }),
    extraEnv: list('Variables of the container, such as secrets that `config` names as `${NAME}`.', environment),
    extraEnvFrom: list('ConfigMaps and Secrets whose keys become variables.', environmentFrom),
    extraVolumes: list('Volumes of the pod.', volume),
    extraVolumeMounts: list('Where the container has them.', volumeMount),
    initContainers: list('Run before the program.', container),
    extraContainers: list('Run beside the program.', container),
    podAnnotations: texts('Annotations of the pods.'),
    podLabels: texts('Labels of the pods.'),
    podSecurityContext: value(
      'With `fsGroup` the program may read the files of a Secret, and write to its volume.',
      podSecurityContext,
      {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
    ),
    securityContext: value('Security context of the container.', securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    }),
    resources: value('Resources of the container.', resources, {
      requests: { cpu: '100m', memory },
      limits: { memory: '512Mi' },
    }),
    startupProbe: value('/livez, until it answers.', probe, { periodSeconds: 1, failureThreshold: 60 }),
    livenessProbe: value('/livez.', probe, { periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 6 }),
    readinessProbe: value('/readyz.', probe, { periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 }),
    preStopSeconds: integer(
      'Seconds for which a terminating pod keeps working, until no Service sends it new connections. 0 turns this off.',
      5,
    ),
    terminationGracePeriodSeconds: integer(
      'Has to exceed `preStopSeconds` and `shutdown.deadline` together; the chart refuses less.',
      45,
    ),
    strategy: value('Update strategy of the Deployment. With SQLite on a volume it is Recreate.', handedOn(), {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    }),
    revisionHistoryLimit: integer('Old ReplicaSets that are kept.', 3),
    nodeSelector: texts('Nodes with these labels only.'),
    tolerations: list('Taints that are put up with.', toleration),
    affinity: value('Nearness to nodes and pods.', affinity, {}),
    topologySpreadConstraints: list('How pods are spread; `labelSelector` is filled in.', spread, [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    ]),
    priorityClassName: text('Priority class of the pods.'),
    podDisruptionBudget: section('How many pods may be taken away at once on purpose.', {
      enabled: flag('Creates one.', true),
      minAvailable: value('A number or a percentage, in place of `maxUnavailable`.', percentage, null),
      maxUnavailable: value('A number or a percentage.', percentage, 1),
    }),
  };
}

function reach(): Keys {
  return {
    service: section('Where clients inside the cluster connect.', {
      type: choice('How it is reached.', ['ClusterIP', 'NodePort', 'LoadBalancer'], 'ClusterIP'),
      port: integer('Port of the Service.', 80, 1),
      nodePort: integer('With NodePort or LoadBalancer; null: chosen by the cluster.', null, 1),
      annotations: texts('Annotations of the Service.'),
      labels: texts('Labels of the Service.'),
      loadBalancerClass: text('With LoadBalancer: which implementation.'),
      loadBalancerSourceRanges: list('With LoadBalancer: CIDRs that may connect.', { type: 'string' }),
      externalTrafficPolicy: choice('Local keeps the addresses of clients.', ['', 'Cluster', 'Local'], ''),
    }),
    ingress: section('Ingress to the Service.', {
      enabled: flag('Creates one.', false),
      className: text('Class of the controller.'),
      annotations: texts('Annotations of the Ingress.'),
      hosts: list('Names of hosts.', { type: 'string' }),
      path: text('Path of these hosts that leads here.', '/'),
      tls: list('Certificates.', ingressTls),
    }),
    httpRoute: section('HTTPRoute of the Gateway API to the Service.', {
      enabled: flag('Creates one.', false),
      annotations: texts('Annotations of the HTTPRoute.'),
      parentRefs: list('The Gateways that it joins.', parentRef),
      hostnames: list('Names of hosts.', { type: 'string' }),
      matches: list('Matches of these hosts that lead here.', handedOn(), [
        { path: { type: 'PathPrefix', value: '/' } },
      ]),
      filters: list('Filters that the Gateway applies first.', handedOn(['type'])),
    }),
    networkPolicy: section(
      'Clients that may connect to the pods. `admin` is on the loopback address of each pod, so no other pod can reach it.',
      {
        enabled: flag('Creates one.', true),
        from: list('Clients that may send requests. Empty: everyone.', peer),
        probesFrom: list(
          'Pods that may ask for health, metrics and the paths of `health.pass`, in addition to the node. Empty: every pod.',
          peer,
        ),
        egress: list(
          'Where pods may connect, in addition to DNS: upstreams, authorization servers, databases. Empty: everywhere.',
          egressRule,
        ),
      },
    ),
  };
}

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

/** The differences between the two programs in the values. */
export interface Program {
  /** The filename, which is also the key in the ConfigMap. */
  readonly file: string;
  /** The schema of the file, so that rendering the chart finds mistakes in it. */
  readonly config: JsonSchema;
  readonly ports: Keys;
  readonly memory: string;
  readonly restartOnConfigChange: boolean;
}

const secrets = '/run/secrets/gatehouse';

/** The values of one program: where its configuration is, how its pods run, and who can reach it. */
export function component({ file, config, ports, memory, restartOnConfigChange }: Program): Keys {
  return {
    config: value(
      `The content of ${file} (docs/configuration.md). The chart adds \`version\` and the addresses of the listeners.`,
      config,
      {},
    ),
    existingConfigMap: text(
      `The name of a ConfigMap with the key ${file}. This ConfigMap replaces \`config\`. The listeners in this file must use the ports below. All except \`admin\` must listen at every address.`,
    ),
    existingSecret: text(
      `A Secret whose keys become files below ${secrets}, for \`\${file:${secrets}/KEY}\` in the configuration.`,
    ),
    restartOnConfigChange: flag(
      "true: a change of the chart's ConfigMap replaces the pods. The gateway does not need this, because it reloads a changed file.",
      restartOnConfigChange,
    ),
    bindAddress: choice('Address of the listeners. Use `::` in clusters with IPv6.', ['0.0.0.0', '::'], '0.0.0.0'),
    ports: section('Ports of the container. A listener in `config` must use its port from this list.', ports),
    ...pods(memory),
    ...reach(),
  };
}

function pods(memory: string): Keys {
  return {
    replicaCount: integer('Number of pods. More than one requires shared state. The chart fails without it.', 1, 1),
    autoscaling: section('A HorizontalPodAutoscaler.', {
      enabled: flag('Creates the HorizontalPodAutoscaler.', false),
      minReplicas: integer('The smallest number of pods.', 2, 1),
      maxReplicas: integer(
        'The largest number of pods. More than one requires shared state, as with `replicaCount`.',
        10,
        1,
      ),
      targetCPUUtilizationPercentage: integer(
        'Target CPU load in percent of `resources.requests.cpu`. In a sidecar, only the container of the gateway counts. null: CPU does not count.',
        70,
        1,
      ),
      targetMemoryUtilizationPercentage: integer(
        'Target memory in percent of `resources.requests.memory`. In a sidecar, only the container of the gateway counts. null: memory does not count.',
        null,
        1,
      ),
      metrics: list('More metrics for the autoscaler (autoscaling/v2).', handedOn(['type'])),
      behavior: value('How fast the autoscaler adds and removes pods (autoscaling/v2).', handedOn(), {}),
    }),
    extraArgs: list("More arguments of the program's command.", { type: 'string' }),
    extraEnv: list(
      'Environment variables of the container, such as secrets that `config` names as `${NAME}`.',
      environment,
    ),
    extraEnvFrom: list('ConfigMaps and Secrets. Their keys become environment variables.', environmentFrom),
    extraVolumes: list('More volumes of the pod.', volume),
    extraVolumeMounts: list('Mounts of `extraVolumes` in the container.', volumeMount),
    initContainers: list('Containers that run before the program.', container),
    extraContainers: list('Containers that run beside the program.', container),
    podAnnotations: texts('Annotations of the pods.'),
    podLabels: texts('Labels of the pods.'),
    podSecurityContext: value(
      'Security context of the pod. With `fsGroup`, the program can read the files of mounted Secrets, and write to its own volume.',
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
    startupProbe: value('Asks /livez until it answers.', probe, { periodSeconds: 1, failureThreshold: 60 }),
    livenessProbe: value('Asks /livez.', probe, { periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 6 }),
    readinessProbe: value('Asks /readyz.', probe, { periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 }),
    preStopSeconds: integer(
      'A terminating pod continues to work for this many seconds. In this time, Services stop sending it new connections. 0 switches this off.',
      5,
    ),
    terminationGracePeriodSeconds: integer(
      'Must be longer than `preStopSeconds` and `shutdown.deadline` together. Otherwise the chart fails.',
      45,
    ),
    strategy: value(
      'Update strategy of the Deployment. With SQLite on a volume, or `receiver.file` in `config`, the strategy is always Recreate. If `receiver.file` is in an existing ConfigMap, set `type: Recreate`.',
      handedOn(),
      {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
      },
    ),
    revisionHistoryLimit: integer('Number of old ReplicaSets to keep.', 3),
    nodeSelector: texts('Pods run only on nodes with these labels.'),
    tolerations: list('Taints of nodes that the pods tolerate.', toleration),
    affinity: value('Affinity of the pods to nodes and to other pods.', affinity, {}),
    topologySpreadConstraints: list(
      'How the pods are spread over zones and nodes. The chart adds `labelSelector`.',
      spread,
      [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
        { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    ),
    priorityClassName: text('Priority class of the pods.'),
    podDisruptionBudget: section('A PodDisruptionBudget. It limits how many pods a drain of nodes removes at once.', {
      enabled: flag('Creates the PodDisruptionBudget.', true),
      minAvailable: value('Least number or percentage of available pods. Replaces `maxUnavailable`.', percentage, null),
      maxUnavailable: value('Largest number or percentage of unavailable pods.', percentage, 1),
    }),
  };
}

function reach(): Keys {
  return {
    service: section('The Service that clients in the cluster connect to.', {
      type: choice('Type of the Service.', ['ClusterIP', 'NodePort', 'LoadBalancer'], 'ClusterIP'),
      port: integer('Port of the Service.', 80, 1),
      nodePort: integer(
        'Port of the nodes, with NodePort or LoadBalancer. null: the cluster chooses the port.',
        null,
        1,
      ),
      annotations: texts('Annotations of the Service.'),
      labels: texts('Labels of the Service.'),
      loadBalancerClass: text('Class of the load balancer, with LoadBalancer.'),
      loadBalancerSourceRanges: list('Address ranges (CIDR) that may connect, with LoadBalancer.', { type: 'string' }),
      externalTrafficPolicy: choice('With Local, the pods see the addresses of clients.', ['', 'Cluster', 'Local'], ''),
    }),
    ingress: section('An Ingress to the Service.', {
      enabled: flag('Creates the Ingress.', false),
      className: text('Class of the Ingress controller.'),
      annotations: texts('Annotations of the Ingress.'),
      hosts: list('Hostnames of the Ingress.', { type: 'string' }),
      path: text('Requests with this path prefix go to the Service.', '/'),
      tls: list('Certificates for the hostnames.', ingressTls),
    }),
    httpRoute: section('An HTTPRoute of the Gateway API to the Service.', {
      enabled: flag('Creates the HTTPRoute.', false),
      annotations: texts('Annotations of the HTTPRoute.'),
      parentRefs: list('Gateways to which the HTTPRoute belongs.', parentRef),
      hostnames: list('Hostnames of the HTTPRoute.', { type: 'string' }),
      matches: list('Requests that match one of these go to the Service.', handedOn(), [
        { path: { type: 'PathPrefix', value: '/' } },
      ]),
      filters: list('Filters that the Gateway applies first.', handedOn(['type'])),
    }),
    networkPolicy: section(
      'A NetworkPolicy, which limits who may connect to the pods. `admin` is on the loopback address of each pod, so no other pod can reach it.',
      {
        enabled: flag('Creates the NetworkPolicy.', true),
        from: list('Clients that may send requests. Empty: every client.', peer),
        probesFrom: list(
          'Pods that may read health, metrics and the paths of `health.pass`. The node may always read them. Empty: every pod.',
          peer,
        ),
        egress: list(
          'Rules that allow connections of the pods: to upstreams, authorization servers and databases. DNS is always allowed. Empty: all connections are allowed.',
          egressRule,
        ),
      },
    ),
  };
}

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { parseAllDocuments, stringify } from 'yaml';
import { envoyOf } from '../../envoy/support/envoy.ts';
import { freePort } from '../../support/free-port.ts';
import type { FrontProxy } from '../../support/front-proxy.ts';
import { peerFile } from '../../support/peer-place.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const peer = 'egctl-1.9.1';

const STDOUT = 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog';

/** The conditions in the status of an object without which it has no effect, or another one. */
const REQUIRED: readonly string[] = ['Accepted', 'ResolvedRefs'];

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes and of Envoy
type Value = any;

/** What is in the cluster beside the objects of the test. */
export interface Around {
  readonly namespace: string;
  /** Name of a Service → its port, and the HOST:PORT of this machine that answers for it. */
  readonly services: Readonly<Record<string, { readonly port: number; readonly at: string }>>;
  /** HOST:PORT outside of the cluster, for example of a JWKS → the HOST:PORT of this machine that answers for it. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** The certificate authority of these hosts. */
  readonly ca?: string;
}

/** The parts of Envoy's configuration that Envoy Gateway writes for one Gateway. */
export interface Xds {
  readonly listeners: readonly Value[];
  readonly routes: readonly Value[];
  readonly clusters: readonly Value[];
  readonly endpoints: readonly Value[];
}

/** The Gateway to which routes of a test attach. It has the port 80. */
export const parentRef = { name: 'public' };

/** A Service has no address of this machine in Kubernetes, so each gets a separate one of the cluster. */
const clusterIP = (index: number) => `10.96.0.${index + 1}`;

function surroundings({ namespace, services }: Around): readonly object[] {
  const api = 'gateway.networking.k8s.io/v1';
  const metadata = { name: parentRef.name, namespace };
  const listeners = [{ name: 'http', protocol: 'HTTP', port: 80 }];
  const controllerName = 'gateway.envoyproxy.io/gatewayclass-controller';
  return [
    { apiVersion: api, kind: 'GatewayClass', metadata: { name: 'envoy' }, spec: { controllerName } },
    { apiVersion: api, kind: 'Gateway', metadata, spec: { gatewayClassName: 'envoy', listeners } },
    ...Object.entries(services).map(([name, { port }], index) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { clusterIP: clusterIP(index), ports: [{ name: 'http', port }] },
    })),
  ];
}

/**
 * What Envoy Gateway makes of the objects, which are YAML documents. An object that it does not accept is an error with
 * its reason.
 */
export function translate(t: Test, objects: string, around: Around): Xds {
  const file = join(temporaryFolder(t), 'objects.yaml');
  const own = parseAllDocuments(objects).flatMap((each) => each.toJS() ?? []);
  writeFileSync(file, [...surroundings(around), ...own].map((each) => stringify(each)).join('---\n'));
  const kinds = ['--from', 'gateway-api', '--to', 'gateway-api,xds', '--type', 'all', '--output', 'json'];
  const { status, stdout, stderr } = spawnSync(
    peerFile(peer, 'egctl'),
    ['experimental', 'translate', ...kinds, '--file', file],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`egctl: ${stderr}`);
  const { xds, ...judged } = JSON.parse(stdout);
  const faults = conditions(judged).filter(({ type, status }) => REQUIRED.includes(type) && status !== 'True');
  if (faults.length > 0) throw new Error(`Envoy Gateway refuses: ${faults.map(({ message }) => message).join('; ')}`);
  for (const { metadata, status } of judged.securityPolicies ?? [])
    if (conditions(status).length === 0) throw new Error(`Envoy Gateway has no target for ${metadata.name}`);
  const { configs } = xds[`${around.namespace}/${parentRef.name}`];
  const all = (dump: string, members: string, inner: (each: Value) => Value) =>
    part(configs, dump)[members].map((each: Value) => withoutType(inner(each)));
  return {
    listeners: all('ListenersConfigDump', 'dynamicListeners', ({ activeState }) => activeState.listener),
    routes: all('RoutesConfigDump', 'dynamicRouteConfigs', ({ routeConfig }) => routeConfig),
    clusters: all('ClustersConfigDump', 'dynamicActiveClusters', ({ cluster }) => cluster),
    endpoints: all('EndpointsConfigDump', 'dynamicEndpointConfigs', ({ endpointConfig }) => endpointConfig),
  };
}

function part(configs: readonly Value[], dump: string): Value {
  return configs.find((each) => each['@type'].endsWith(`.${dump}`));
}

function withoutType({ '@type': _, ...rest }: Value): Value {
  return rest;
}

function conditions(value: Value): readonly { type: string; status: string; message: string }[] {
  if (value === null || typeof value !== 'object') return [];
  const own = Array.isArray(value.conditions) ? value.conditions : [];
  return [...own, ...Object.values(value).flatMap(conditions)];
}

/** The same as a file that Envoy reads without a control plane. Its only listener is at the port, on loopback. */
export function bootstrap({ listeners, routes, clusters, endpoints }: Xds, port: number, around: Around): object {
  const served = listeners.find(({ name }) => name.startsWith(`${around.namespace}/`));
  const address = { socketAddress: { address: '127.0.0.1', portValue: port } };
  const listener = everywhere(served, ({ rds, path, ...rest }) => {
    // Envoy cannot open the pipe of a test as a file.
    if (path === '/dev/stdout') return { ...rest, '@type': STDOUT };
    if (rds === undefined) return undefined;
    return { ...rest, routeConfig: routes.find(({ name }) => name === rds.routeConfigName) };
  });
  const places = new Map([
    ...Object.values(around.services).map(({ port, at }, index) => [`${clusterIP(index)}:${port}`, at] as const),
    ...Object.entries(around.hosts ?? {}),
  ]);
  return {
    staticResources: {
      listeners: [{ ...listener, address }],
      clusters: clusters.map((each) => cluster(each, endpoints, places, around.ca)),
    },
  };
}

function cluster(
  { type, clusterType, edsClusterConfig, ...rest }: Value,
  endpoints: readonly Value[],
  places: ReadonlyMap<string, string>,
  ca: string | undefined,
): object {
  const found = endpoints.find(({ clusterName }) => clusterName === edsClusterConfig?.serviceName);
  const loadAssignment = rest.loadAssignment ?? found;
  const here = everywhere({ ...rest, loadAssignment }, ({ socketAddress, trustedCa, ...more }) => {
    if (trustedCa !== undefined) return { ...more, trustedCa: ca === undefined ? trustedCa : { filename: ca } };
    if (socketAddress === undefined) return undefined;
    const named = `${socketAddress.address}:${socketAddress.portValue}`;
    const [address, port] = places.get(named)?.split(':') ?? [];
    if (port === undefined) throw new Error(`the test has no address for ${named}`);
    return { ...more, socketAddress: { address, portValue: Number(port) } };
  });
  return { ...here, type: 'STATIC' };
}

/** A copy in which each object is what `change` makes of it; undefined: as it was. */
function everywhere(value: Value, change: (object: Value) => Value): Value {
  if (Array.isArray(value)) return value.map((each) => everywhere(each, change));
  if (value === null || typeof value !== 'object') return value;
  const changed = change(value) ?? value;
  return Object.fromEntries(Object.entries(changed).map(([key, inner]) => [key, everywhere(inner, change)]));
}

/** A real Envoy with what Envoy Gateway makes of the objects. */
export async function envoyGateway(t: Test, objects: string, around: Around): Promise<FrontProxy> {
  const port = await freePort();
  return envoyOf(t, port, bootstrap(translate(t, objects, around), port, around));
}

/** The objects of a compiled text, in one namespace and at the Gateway of the test, which has another name. */
export function placed(text: string, namespace: string): readonly Value[] {
  return parseAllDocuments(text).flatMap((document): Value[] => {
    const object = document.toJS() as Value;
    if (object === null) return [];
    return [{ ...object, metadata: { ...object.metadata, namespace }, spec: atGateway(object) }];
  });
}

function atGateway({ kind, spec }: Value): Value {
  if (kind === 'HTTPRoute') return { ...spec, parentRefs: [parentRef] };
  if (kind !== 'ClientTrafficPolicy') return spec;
  return { ...spec, targetRefs: spec.targetRefs.map((each: Value) => ({ ...each, ...parentRef })) };
}

/** As kubectl reads them. */
export function asText(objects: readonly Value[]): string {
  return objects.map((each) => stringify(each, { aliasDuplicateObjects: false })).join('---\n');
}

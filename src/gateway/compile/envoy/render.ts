import { Document, isNode } from 'yaml';
import { printableValue } from '../../../base/printable.ts';
import type { CompilePlan } from '../plan.ts';
import { clusters } from './clusters.ts';
import { listenerPart } from './listener.ts';
import { type EnvoyPart, typed } from './part.ts';
import { TokenProviders } from './providers.ts';
import { routeTable } from './route-table.ts';

const PATH_OF_ROUTES = [
  'static_resources',
  'listeners',
  0,
  'filter_chains',
  0,
  'filters',
  0,
  'typed_config',
  'route_config',
  'virtual_hosts',
  0,
  'routes',
] as const;

/** The whole configuration of an Envoy, as YAML. The same plan always gives the same text. */
export function renderEnvoy(plan: CompilePlan): string {
  const { bootstrap, comments } = envoyBootstrap(plan);
  const document = new Document(bootstrap, { aliasDuplicateObjects: false });
  document.commentBefore = headOf(plan);
  for (const [index, comment] of comments.entries()) {
    const node = document.getIn([...PATH_OF_ROUTES, index], true);
    if (isNode(node)) node.commentBefore = ` ${printableValue(comment)}`;
  }
  return document.toString({ lineWidth: 0 });
}

export interface EnvoyBootstrap {
  readonly bootstrap: EnvoyPart;
  /** One for each entry of the route table. */
  readonly comments: readonly string[];
}

export function envoyBootstrap(plan: CompilePlan): EnvoyBootstrap {
  const providers = new TokenProviders(plan);
  const table = routeTable(plan, providers);
  const parts = table.map(({ part }) => part);
  const bootstrap = {
    layered_runtime: runtimePart(),
    overload_manager: overloadPart(plan.config.limits.connections),
    static_resources: { listeners: [listenerPart(plan, providers, parts)], clusters: clusters(plan) },
  };
  return { bootstrap, comments: table.map(({ comment }) => comment) };
}

/** Envoy refuses longer patterns by default. The guard needs one. */
const LARGEST_PATTERN = 10_000;

function runtimePart() {
  const limits = ['error_level', 'warn_level'].map((level) => [`re2.max_program_size.${level}`, LARGEST_PATTERN]);
  return { layers: [{ name: 'gatehouse', static_layer: Object.fromEntries(limits) }] };
}

/** Envoy warns about a listener without a limit of connections. */
function overloadPart(connections: number) {
  const monitor = 'envoy.resource_monitors.global_downstream_max_connections';
  const type = 'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig';
  const typed_config = typed(type, { max_active_downstream_connections: connections });
  return { resource_monitors: [{ name: monitor, typed_config }] };
}

function headOf({ source, routes }: CompilePlan): string {
  const count = (judged: string) => routes.filter((route) => route.judged === judged).length;
  return [
    ` Made by \`gatehouse compile envoy\` from ${printableValue(source.file)}: do not edit.`,
    ` source_sha256: ${source.hash}`,
    ...(source.testKeys === undefined
      ? []
      : [` FOR TESTS ONLY: Envoy accepts every token that is signed with ${source.testKeys}.`]),
    ` Envoy judges ${count('here')} routes, Gatehouse ${count('asked')}; ${count('omitted')} are left out.`,
  ].join('\n');
}

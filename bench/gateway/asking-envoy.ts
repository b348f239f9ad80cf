/** Envoy's configuration for the benchmark of decisions: it asks our gateway about each request, and then forwards it. */

export type Way = 'http' | 'grpc';

interface Asking {
  readonly way: Way;
  readonly listen: number;
  /** Where our gateway is asked. */
  readonly asked: number;
  readonly upstream: number;
}

const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });

export function askingEnvoy({ way, listen, asked, upstream }: Asking): string {
  const http_filters = [
    filter('ext_authz', { ...type('filters.http.ext_authz.v3.ExtAuthz'), ...authorizer, ...services[way](asked) }),
    filter('router', type('filters.http.router.v3.Router')),
  ];
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'api' } }];
  const typed_config = {
    ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'in',
    use_remote_address: true,
    normalize_path: false,
    http_filters,
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
  };
  const filters = [{ name: 'envoy.filters.network.http_connection_manager', typed_config }];
  const listeners = [{ name: 'in', address: address(listen), filter_chains: [{ filters }] }];
  const clusters = [cluster('api', upstream), { ...cluster('gatehouse', asked), ...(way === 'grpc' && http2) }];
  return JSON.stringify({ static_resources: { listeners, clusters } });
}

const authorizer = { transport_api_version: 'V3', failure_mode_allow: false, clear_route_cache: true };

const services: Readonly<Record<Way, (asked: number) => object>> = {
  http: (asked) => ({
    allowed_headers: { patterns: [{ exact: 'x-forwarded-for' }, { exact: 'x-forwarded-proto' }] },
    http_service: {
      server_uri: { uri: `http://127.0.0.1:${asked}`, cluster: 'gatehouse', timeout: '2s' },
      path_prefix: '/envoy',
      authorization_response: { allowed_upstream_headers: { patterns: [{ prefix: 'x-auth-' }] } },
    },
  }),
  grpc: () => ({
    encode_raw_headers: true,
    grpc_service: { envoy_grpc: { cluster_name: 'gatehouse' }, timeout: '2s' },
  }),
};

function filter(name: string, typed_config: object): object {
  return { name: `envoy.filters.http.${name}`, typed_config };
}

function address(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

function cluster(name: string, port: number): object {
  const lb_endpoints = [{ endpoint: { address: address(port) } }];
  return { name, type: 'STATIC', load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints }] } };
}

const http2 = {
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      ...type('upstreams.http.v3.HttpProtocolOptions'),
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { UpstreamConfig } from '../../../config/schema/gateway.ts';
import type { CompilePlan, PlannedServer } from '../plan.ts';
import { GATEHOUSE_CLUSTER, hasAsked } from './ext-authz.ts';
import { durationText, type EnvoyPart, typed } from './part.ts';
import { keyCluster } from './providers.ts';
import { upstreamCluster } from './route-table.ts';

/** Where requests go: the upstreams, the servers that publish keys, and Gatehouse itself. */
export function clusters(plan: CompilePlan): readonly EnvoyPart[] {
  const { config, routes, servers, directory } = plan;
  const used = new Set(routes.filter(({ judged }) => judged !== 'omitted').map(({ upstream }) => upstream));
  const upstreams = Object.entries(config.upstreams).filter(([name]) => used.has(name));
  const remote = [...servers.values()].filter(({ keys }) => keys === undefined);
  return [
    ...upstreams.map(([name, upstream]) => upstreamPart(name, upstream, directory)),
    ...remote.map((server) => keysPart(server, directory)),
    ...(hasAsked(plan) ? [askedPart(plan)] : []),
  ];
}

function upstreamPart(name: string, upstream: UpstreamConfig, directory: string): EnvoyPart {
  const { urls, timeout, balance, max_connections, max_pending, http2, health, circuit_breaker, tls } = upstream;
  const thresholds = [
    { max_connections, max_pending_requests: max_pending, max_requests: max_connections + max_pending },
  ];
  return {
    ...clusterAt(upstreamCluster(name), urls, { tls, directory, http2 }),
    connect_timeout: durationText(timeout.connect),
    lb_policy: balance === 'least_connections' ? 'LEAST_REQUEST' : 'ROUND_ROBIN',
    circuit_breakers: { thresholds },
    ...(http2 && { typed_extension_protocol_options: HTTP2 }),
    ...(health && { health_checks: [healthPart(health)] }),
    ...(circuit_breaker && { outlier_detection: breakerPart(circuit_breaker) }),
  };
}

const PROTOCOL = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const HTTP2 = { [PROTOCOL]: typed(PROTOCOL, { explicit_http_config: { http2_protocol_options: {} } }) };

function healthPart(health: NonNullable<UpstreamConfig['health']>): EnvoyPart {
  return {
    timeout: durationText(health.timeout),
    interval: durationText(health.interval),
    unhealthy_threshold: health.unhealthy_after,
    healthy_threshold: health.healthy_after,
    http_health_check: { path: health.path, expected_statuses: [{ start: 200, end: 300 }] },
  };
}

/** Only faults of the connection count, as any status is an answer. */
function breakerPart({ failures, open_for }: NonNullable<UpstreamConfig['circuit_breaker']>): EnvoyPart {
  return {
    split_external_local_origin_errors: true,
    consecutive_local_origin_failure: failures,
    enforcing_consecutive_5xx: 0,
    enforcing_consecutive_gateway_failure: 0,
    enforcing_success_rate: 0,
    base_ejection_time: durationText(open_for),
    max_ejection_percent: 100,
  };
}

function keysPart(server: PlannedServer, directory: string): EnvoyPart {
  const { jwks_uri = '', tls } = server.config;
  return { ...clusterAt(keyCluster(server), [jwks_uri], { tls, directory }), connect_timeout: '2s' };
}

function askedPart({ config, directory }: CompilePlan): EnvoyPart {
  const { host, port } = config.decision ?? { host: '', port: 0 };
  return { ...clusterAt(GATEHOUSE_CLUSTER, [`http://${host}:${port}`], { directory }), connect_timeout: '1s' };
}

interface Connection {
  readonly tls?: UpstreamConfig['tls'];
  readonly directory: string;
  readonly http2?: boolean;
}

function clusterAt(name: string, urls: readonly string[], connection: Connection): EnvoyPart {
  const parsed = urls.map((url) => new URL(url));
  const isFixed = parsed.every(({ hostname }) => isIP(bare(hostname)) !== 0);
  const secure = parsed.find(({ protocol }) => protocol === 'https:');
  return {
    name,
    type: isFixed ? 'STATIC' : 'STRICT_DNS',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: parsed.map(endpointPart) }] },
    ...(secure && { transport_socket: tlsPart(secure, connection) }),
  };
}

function endpointPart({ hostname, port, protocol }: URL): EnvoyPart {
  const port_value = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return { endpoint: { address: { socket_address: { address: bare(hostname), port_value } } } };
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/**
 * Where Debian, Ubuntu, Alpine and the images of Envoy keep the authorities of the system. Envoy does not find them
 * itself, and does not start without the file.
 */
export const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** Certificates are always verified, with the name of the server. */
function tlsPart({ hostname }: URL, { tls = {}, directory, http2 = false }: Connection): EnvoyPart {
  const name = tls.server_name ?? bare(hostname);
  const file = (filename: string) => ({ filename: resolve(directory, filename) });
  const san_type = isIP(name) === 0 ? 'DNS' : 'IP_ADDRESS';
  const certificate = tls.cert !== undefined && tls.key !== undefined ? { cert: tls.cert, key: tls.key } : undefined;
  const context = {
    ...(san_type === 'DNS' && { sni: name }),
    common_tls_context: {
      alpn_protocols: [http2 ? 'h2' : 'http/1.1'],
      validation_context: {
        trusted_ca: tls.ca === undefined ? { filename: SYSTEM_AUTHORITIES } : file(tls.ca),
        match_typed_subject_alt_names: [{ san_type, matcher: { exact: name } }],
      },
      ...(certificate && {
        tls_certificates: [{ certificate_chain: file(certificate.cert), private_key: file(certificate.key) }],
      }),
    },
  };
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', context),
  };
}
